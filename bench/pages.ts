import { chromium, type Page } from "@playwright/test";
import { findChromium } from "../e2e/fixtures/chromium";

// How long the dashboard's pages take until their data show, as a browser on the same machine sees it.
// Usage: npx tsx bench/pages.ts URL EMAIL PASSWORD, with a service that runs and has groups in Testing.

const ROUNDS = 25;
const [, , url = "", email = "", password = ""] = process.argv;

const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
const answer = await context.request.post(`${url}/api/auth/sign-in/email`, {
  data: { email, password },
  headers: { origin: url },
});
if (!answer.ok()) throw new Error(`Signing in as ${email} was answered with ${answer.status()}.`);

const page = await context.newPage();
const row = page.getByRole("table", { name: "User groups" }).locator("tbody").getByRole("link").first();
const heading = page.getByRole("region", { name: "Token" });
const measured: Record<string, number[]> = {};

for (let round = 0; round < ROUNDS; round++) {
  await time("list, opened by its address", async () => {
    await page.goto(`${url}/testing/groups`, { waitUntil: "commit" });
    await row.waitFor();
  });
  await settle(page);
  await time("group, from the list", async () => {
    await row.click();
    await heading.waitFor();
  });
  await settle(page);
  await time("list, from the group", async () => {
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Groups" }).click();
    await row.waitFor();
  });
  await settle(page);
  const address = new URL((await row.getAttribute("href")) ?? "", url).href;
  await time("group, opened by its address", async () => {
    await page.goto(address, { waitUntil: "commit" });
    await heading.waitFor();
  });
  await settle(page);
}
await browser.close();

for (const [what, times] of Object.entries(measured)) {
  const sorted = times.sort((one, other) => one - other);
  const at = (share: number) => `${(sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0).padStart(5)} ms`;
  process.stdout.write(`${what.padEnd(30)} p50 ${at(0.5)}   p95 ${at(0.95)}   slowest ${at(1)}\n`);
}

async function time(what: string, work: () => Promise<void>) {
  const start = performance.now();
  await work();
  measured[what] = [...(measured[what] ?? []), performance.now() - start];
}

/** Until nothing of the page before is under way, so that it slows down nothing. */
function settle(page: Page) {
  return page.waitForLoadState("networkidle");
}
