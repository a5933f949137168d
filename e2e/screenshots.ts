// Takes the pictures of docs/dashboard.md from the running product: `npm run screenshots`.
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, chromium, type Page } from "@playwright/test";
import { findChromium } from "./fixtures/chromium";
import { killServices, startService } from "./fixtures/service-process";

const FOLDER = "docs/images";
const OWNER = { name: "Ada Keller", email: "ada@example.com", password: "correct horse battery" };
const TEMPLATE = `<analytics-dashboard
  token="{{userGroupToken}}"
  customer="{{userGroupId}}"
  plan="{{properties.plan}}"
></analytics-dashboard>`;

interface Picture {
  name: string;
  path: string;
  /** what is done on the page before it is taken */
  prepare?: (page: Page) => Promise<unknown>;
  width?: number;
  theme?: "light" | "dark";
}

const dialog = (page: Page) => page.getByRole("dialog");

const PICTURES: Picture[] = [
  { name: "groups", path: "/testing/groups" },
  { name: "groups-dark", path: "/testing/groups", theme: "dark" },
  { name: "filter", path: "/testing/groups?search=ba&filter=plan%20%3D%20pro&sort=name" },
  { name: "group", path: "/testing/groups/7" },
  {
    name: "json",
    path: "/testing/groups/7",
    theme: "dark",
    prepare: async (page) => {
      const properties = page.getByRole("group", { name: "Properties" });
      await properties.getByRole("radio", { name: "JSON" }).click();
      await properties.locator(".cm-content").press("ControlOrMeta+a");
      await page.keyboard.insertText('{\n  "plan": "pro",\n  "seats": 12345678901234567890,\n  "plan": "free"\n}');
      await page.getByText(/^Line 3/).waitFor();
    },
  },
  { name: "embed", path: "/testing/groups/7?tab=embed" },
  {
    name: "rotate",
    path: "/production/groups",
    prepare: async (page) => {
      await page.getByRole("link", { name: "Acme GmbH" }).click();
      await page.getByRole("button", { name: "Rotate…" }).click();
      await dialog(page).waitFor();
    },
  },
  {
    name: "palette",
    path: "/testing/groups",
    theme: "dark",
    prepare: async (page) => {
      await page.keyboard.press("ControlOrMeta+k");
      await dialog(page).getByRole("combobox").fill("lab");
      await dialog(page).getByRole("option").first().waitFor();
    },
  },
  {
    name: "activity",
    path: "/production/activity",
    prepare: (page) => page.getByRole("button", { name: "Updated", expanded: false }).first().click(),
  },
  { name: "api-tokens", path: "/testing/settings/api-tokens" },
  { name: "environments", path: "/testing/settings/environments" },
  { name: "members", path: "/testing/settings/members" },
  { name: "account", path: "/testing/settings/account" },
  {
    name: "import",
    path: "/production/groups/import",
    prepare: async (page) => {
      const rows = [
        "user_group_id,name,properties",
        'acme-1,Acme GmbH,"{""plan"":""pro"",""seats"":40}"',
        'northwind,Northwind,"{""plan"":""free""}"',
        "contoso,Contoso,{plan: pro}",
      ];
      const file = { name: "customers.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) };
      await page.getByLabel("Drop a file here, or choose one").setInputFiles(file);
      await page.getByText("Nothing has been changed yet").waitFor();
      await page.getByRole("button", { name: "acme-1" }).click();
    },
  },
  { name: "reference", path: "/docs", theme: "dark" },
  { name: "phone", path: "/testing/groups", width: 390 },
];

const folder = await mkdtemp(path.join(tmpdir(), "user-groups-pictures-"));
try {
  const settings = { DATA_DIR: path.join(folder, "data"), ADMIN_EMAIL: OWNER.email, ADMIN_PASSWORD: OWNER.password };
  const { url, stop } = await startService(settings, { patience: 180_000 });
  const env = { ...process.env, ...settings };
  const command = (...args: string[]) =>
    execFileSync(process.execPath, ["run.mjs", ...args], { env })
      .toString()
      .trim();
  command("seed", "--groups", "1204");
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  const cookies = await signIn(browser, url);
  await furnish(url, cookies, command("api-token", "create", "--environment", "production", "--name", "billing"));
  for (const picture of PICTURES) await take(browser, url, cookies, picture);
  await browser.close();
  await stop();
} finally {
  await killServices();
  await rm(folder, { recursive: true, force: true });
}

type Cookies = Awaited<ReturnType<typeof signIn>>;

async function signIn(browser: Browser, url: string) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/sign-in`);
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "User groups", exact: true }).waitFor();
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

/** Something to see on every picture, made through the product's own routes. */
async function furnish(url: string, cookies: Cookies, apiToken: string) {
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  const send = async (method: string, route: string, body: object, headers: Record<string, string>) => {
    const answer = await fetch(url + route, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${route}: ${await answer.text()}`);
    return answer.json();
  };
  const member = { cookie, "x-environment": "testing" };
  const program = { authorization: `Token ${apiToken}` };
  await send("PATCH", "/api/admin/account", { name: OWNER.name }, member);
  await send("PATCH", "/api/admin/environments/testing", { embedTemplate: TEMPLATE }, member);
  for (const [name, access] of [
    ["staging renderer", "read"],
    ["ci", "write"],
  ]) {
    await send("POST", "/api/admin/api-tokens", { name, access, expiresAt: null }, member);
  }
  await send("POST", "/api/admin/members/invites", { email: "ben@example.com", role: "admin" }, member);
  await send("POST", "/api/admin/members/invites", { email: "cleo@example.com", role: "viewer" }, member);
  const acme = { user_group_id: "acme-1", name: "Acme GmbH", mapping: { 40: "213", 134: "386" } };
  const created = await send("POST", "/api/user/get-or-create", { ...acme, properties: { plan: "free" } }, program);
  await send("PUT", "/api/user", { user_group_id: "acme-1", properties: { plan: "pro", seats: 10 } }, program);
  const production = { ...member, "x-environment": "production" };
  await send("POST", "/api/user", { current_token: created.user_group.token }, production);
  await send("PUT", "/api/user", { user_group_id: "acme-1", properties: { plan: "pro", seats: 25 } }, production);
}

async function take(browser: Browser, url: string, cookies: Cookies, picture: Picture) {
  const { name, path: place, prepare, width = 1280, theme = "light" } = picture;
  const context = await browser.newContext({
    colorScheme: theme,
    reducedMotion: "reduce",
    viewport: { width, height: 800 },
  });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.goto(url + place, { waitUntil: "networkidle" });
  const loading = page.locator(".animate-pulse").first();
  await loading.waitFor({ state: "detached" });
  await prepare?.(page);
  await page.screenshot({ path: path.join(FOLDER, `${name}.png`), caret: "hide" });
  await context.close();
  process.stdout.write(`${FOLDER}/${name}.png\n`);
}
