import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import sharp from "sharp";
import { test as base, expect, type Page } from "../fixtures/browser";
import { environmentWith } from "../fixtures/service-process";

interface Demo {
  urls: { product: string; service: string };
  email: string;
  password: string;
  /** stops the demo like Ctrl-C; returns the exit code and what it printed on stopping */
  interrupt(): Promise<{ code: number; words: string }>;
}

const test = base.extend<{ folder: string; demo: Demo }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), "demo-"));
    await use(folder);
    await rm(folder, { recursive: true });
  },
  demo: async ({ inBrowser: _, folder }, use) => {
    const ofService = { DATABASE_URL: "postgresql://nobody@localhost:1/nowhere", TRUSTED_PROXIES: "1" };
    const env = environmentWith({ TMPDIR: folder, ...ofService });
    const child = spawn("./user-groups", ["demo"], { env, stdio: "pipe", detached: true });
    let said = "";
    for (const output of [child.stdout, child.stderr]) output.on("data", (text) => (said += text));
    const closed = once(child, "close");
    const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? 0), name);
    try {
      await expect.poll(() => said, { timeout: 120_000 }).toContain("Ctrl-C ends the demo");
      const [, product = "", service = ""] = /Open (\S+):.*?(http:\S+?)\/testing/s.exec(said) ?? [];
      const [, email = "", password = ""] = /as (\S+) with the password (\S+)\./.exec(said) ?? [];
      const interrupt = async () => {
        const { length } = said;
        signal("SIGINT");
        const [code] = await closed;
        return { code, words: said.slice(length) };
      };
      await use({ urls: { product, service }, email, password, interrupt });
    } finally {
      if (child.exitCode === null && child.signalCode === null) signal("SIGKILL");
      await closed;
    }
  },
});

/** The animation in README, recorded by the test if RECORD is set. */
const RECORDING = "docs/images/suspend.webp";
const SIZE = { width: 1_120, height: 560 };

/** Pictures of pages, each shown for some milliseconds. */
function recorder() {
  const frames: { picture: Buffer; delay: number }[] = [];
  return {
    async shoot(page: Page, delay: number) {
      if (process.env.RECORD) frames.push({ picture: await page.screenshot({ caret: "hide" }), delay });
    },
    async write() {
      if (frames.length === 0) return;
      const pictures = frames.map(({ picture }) => picture);
      const delay = frames.map((frame) => frame.delay);
      await sharp(pictures, { join: { animated: true } })
        .webp({ delay, loop: 0, quality: 82 })
        .toFile(RECORDING);
    },
  };
}

test("the demo shows a customer's dashboard until it is suspended, and leaves nothing behind", {
  tag: "@release",
}, async ({ demo, folder, browser }) => {
  const { urls, email, password } = demo;
  const { shoot, write } = recorder();
  const product = await (await browser.newContext({ viewport: SIZE })).newPage();
  await product.goto(urls.product);
  await product.getByRole("button", { name: "Ann of Acme" }).click();
  const chart = product.frameLocator("iframe[title=sales]").getByRole("img", { name: "Sales of the region north" });
  const expectEnd = async (view: string) => {
    const status = product.getByRole("region", { name: view }).getByRole("status");
    await expect(status).toHaveText("Your access has ended.", { timeout: 60_000 });
    await expect(product.frameLocator(`iframe[title=${view}]`).getByText("This view has ended.")).toBeVisible();
  };
  await expect(chart).toBeVisible();
  await expect(product.frameLocator("iframe[title=orders]").getByRole("img")).toBeVisible();
  await shoot(product, 1_800);

  const dashboard = await (await browser.newContext({ viewport: SIZE })).newPage();
  await dashboard.goto(`${urls.service}/testing/groups?q=customer_`);
  await dashboard.getByLabel("Email").fill(email);
  await dashboard.getByLabel("Password").fill(password);
  await dashboard.getByRole("button", { name: "Sign in" }).click();
  await dashboard.getByRole("link", { name: "Acme" }).click();
  await expect(dashboard.getByRole("heading", { name: "Acme" })).toBeVisible();
  await shoot(dashboard, 1_200);
  await dashboard.getByRole("button", { name: "More actions" }).click();
  await dashboard.getByRole("menuitem", { name: "Suspend…" }).click();
  await expect(dashboard.getByRole("dialog")).toBeVisible();
  await shoot(dashboard, 1_500);
  await dashboard.getByRole("dialog").getByRole("button", { name: "Suspend" }).click();
  await expectEnd("sales");
  await shoot(product, 1_500);
  await expectEnd("orders");
  await shoot(product, 2_200);
  await write();

  await product.context().close();
  await dashboard.context().close();
  const words = "The demo has ended, and its data are deleted.\n";
  expect(await demo.interrupt()).toEqual({ code: 0, words });
  expect(await readdir(folder)).toEqual([]);
});
