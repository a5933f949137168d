import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { SCOPES } from "@/lib/authority/scopes";
import { deleteEnvironments } from "../fixtures/admin-client";
import { call } from "../fixtures/api";
import {
  test as base,
  dialog,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  toasts,
} from "../fixtures/browser";

/** The target environment. */
interface Live {
  slug: string;
  name: string;
  call: typeof call;
}

const test = base.extend<{ live: Live }>({
  live: async ({ database, owner }, use) => {
    const slug = `live-${randomBytes(6).toString("hex")}`;
    const name = `Live ${slug.slice(-4)}`;
    await database.query("INSERT INTO environment (slug, name, tag) VALUES ($1, $2, 'Customer')", [slug, name]);
    const made = await owner.in(slug).post("api-tokens", { name: "e2e", scopes: SCOPES, expiresAt: null });
    const token: string = made.json.token;
    await use({ slug, name, call: (method, path, options) => call(method, path, { token, ...options }) });
    await deleteEnvironments(database, [slug]);
  },
});

const part = (page: Page, name: string) =>
  dialog(page).getByRole("list", { name: "Settings" }).locator("> li").filter({ hasText: name });

async function choose(page: Page, { slug, name }: { slug: string; name: string }, item: string) {
  await page.goto(`/${slug}/settings/environments`);
  await page.getByRole("button", { name: `Actions for ${name}` }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

const put = async (where: { call: typeof call }, body: object) => {
  const { status, text } = await where.call("PUT", "/api/settings", { body });
  expect(status, text).toBe(200);
};
const settingsOf = async (where: { call: typeof call }) => (await where.call("GET", "/api/settings")).json.settings;

const PLAN = { properties: { plan: { type: "string", enum: ["free", "pro"] } }, enforcement: "report" };
const HOOK = { url: "https://127.0.0.1:1/hook?key=hidden", description: "billing", types: ["environment.deleted"] };
const DOCUMENT = {
  definitions: PLAN,
  viewer_tokens: { audience: "renderer" },
  allowed_origins: ["https://app.example.com"],
  embed_template: "<div>{{userGroupToken}}</div>",
  webhooks: [HOOK],
};

test("exported settings are applied to another environment after a diff", async ({ page, environment, live }) => {
  await put(environment, DOCUMENT);
  const downloading = page.waitForEvent("download");
  await choose(page, environment, "Export settings");
  const download = await downloading;
  expect(download.suggestedFilename()).toBe(`${environment.slug}-settings.json`);
  const text = await readFile(await download.path(), "utf8");
  expect(JSON.parse(text)).toEqual(await settingsOf(environment));
  expect(text).not.toMatch(/whsec_|hidden/);

  const webhooks = [{ url: "https://127.0.0.1:1/theirs" }];
  await put(live, { embed_template: "old", allowed_origins: DOCUMENT.allowed_origins, webhooks });
  await choose(page, live, "Apply settings…");
  await expectAccessible(page);
  const show = dialog(page).getByRole("button", { name: "Show differences" });
  await expect(show).toBeDisabled();
  await dialog(page).getByLabel("Settings").fill('{"definition": {}}');
  await show.click();
  const refusal = dialog(page).getByRole("alert");
  await expect(refusal).toContainText("did you mean definitions?");
  await expect(refusal).not.toContainText(/Nothing was changed|Request id|Try again/);
  await dialog(page)
    .getByLabel("File")
    .setInputFiles({ name: "a.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await expect(dialog(page).getByLabel("Settings")).toHaveValue(text);
  await show.click();
  const edit = dialog(page).getByRole("button", { name: "Edit settings" });
  await expect(edit).toBeFocused();
  await edit.click();
  await expect(dialog(page).getByLabel("Settings")).toBeFocused();
  await show.click();
  await expect(dialog(page)).toContainText(`${live.name} · real customers`);
  await expect(part(page, "Rules")).toContainText(/enforcement.*off.*report/s);
  await expect(part(page, "Embed template")).toContainText(/old.*<div>\{\{userGroupToken\}\}<\/div>/s);
  await expect(part(page, "Webhooks")).toContainText(/127\.0\.0\.1:1\/hook.*billing/s);
  await expect(part(page, "Webhooks")).toContainText(`Deletes 1 webhook of ${live.name}`);
  await expect(part(page, "Allowed origins")).toContainText("No differences");
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  const apply = dialog(page).getByRole("button", { name: `Apply to ${live.name}` });
  await expect(apply).toBeInViewport();
  expect((await settingsOf(live)).embed_template).toBe("old");
  await apply.click();

  await expect(toasts(page).getByText(`Applied to ${live.name}`)).toBeVisible();
  await expect(dialog(page)).toContainText("whsec_");
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toContainText("The secret is shown only once");
  await dialog(page).getByRole("button", { name: "Keep open" }).click();
  await dialog(page).getByRole("button", { name: "I have saved it" }).click();
  await expect(dialog(page)).toHaveCount(0);
  expect(await settingsOf(live)).toEqual(await settingsOf(environment));

  await choose(page, live, "Apply settings…");
  await dialog(page).getByLabel("Settings").fill(text);
  await show.click();
  await expect(dialog(page).getByRole("status").first()).toContainText(
    `Nothing to change: ${live.name} has these settings.`,
  );
  await expect(apply).toBeDisabled();
});

test("two environments are compared, and chosen parts are copied, all or nothing", async ({
  page,
  environment,
  live,
}) => {
  await put(environment, DOCUMENT);
  await put(live, { definitions: { properties: { old: { type: "integer" } } }, embed_template: "theirs" });
  await page.goto(`/${environment.slug}/settings/environments`);
  await page.getByRole("button", { name: `Compare with… ${environment.name}` }).click();
  await dialog(page).getByRole("button", { name: /^To:/ }).click();
  await page.getByRole("menuitemradio", { name: live.name }).click();
  await expect(dialog(page)).toContainText(`${live.name} · real customers`);
  await expect(part(page, "Rules")).toContainText(/old.*type integer.*removed/s);
  await expect(part(page, "Allowed origins")).toContainText("https://app.example.com");
  await expect(part(page, "Claim templates")).toContainText("No differences");
  await expectAccessible(page);
  const copy = dialog(page).getByRole("button", { name: `Copy to ${live.name}` });
  await expect(copy).toBeDisabled();
  for (const name of ["Rules", "Allowed origins"]) {
    await dialog(page).getByRole("checkbox", { name, exact: true }).check();
  }

  // Someone changes a part that is not copied.
  await put(live, { viewer_tokens: { audience: "theirs" } });
  await copy.click();
  await expect(dialog(page).getByRole("alert")).toContainText(`${live.name} changed in the meantime`);
  await expect(part(page, "Viewer tokens")).toContainText(/audience.*theirs.*renderer/s);
  expect((await settingsOf(live)).allowed_origins).toBeNull();
  await copy.click();
  await expect(toasts(page).getByText(`Applied to ${live.name}`)).toBeVisible();
  await expect(dialog(page)).toHaveCount(0);
  const { definitions, allowed_origins, embed_template, viewer_tokens, webhooks } = await settingsOf(live);
  expect(definitions).toMatchObject(PLAN);
  expect(Object.keys(definitions.properties)).toEqual(["plan"]);
  expect({ allowed_origins, embed_template, webhooks, audience: viewer_tokens.audience }).toEqual({
    allowed_origins: DOCUMENT.allowed_origins,
    embed_template: "theirs",
    webhooks: [],
    audience: "theirs",
  });
  await page.goto(`/${live.slug}/activity`);
  await expect(page.getByRole("button", { name: /changed the rules/ }).first()).toBeVisible();
});

test("copied webhooks are added to those of the other environment, whichever side is the source", async ({
  page,
  environment,
  live,
}) => {
  const [mine, theirs] = [HOOK.url.split("?")[0] ?? "", "https://127.0.0.1:1/theirs"];
  await put(environment, { webhooks: [HOOK] });
  await put(live, { webhooks: [{ url: theirs, description: "theirs" }] });
  await page.goto(`/${live.slug}/settings/environments`);
  await page.getByRole("button", { name: `Compare with… ${live.name}` }).click();
  await dialog(page).getByRole("button", { name: /^To:/ }).click();
  await page.getByRole("menuitemradio", { name: environment.name }).click();
  await expect(part(page, "Webhooks")).toContainText(/1 difference.*theirs/s);
  await dialog(page).getByRole("button", { name: "Swap" }).click();
  await expect(dialog(page)).toContainText(`Compare ${environment.name} with ${live.name}`);
  await dialog(page)
    .getByRole("checkbox", { name: /^1 difference in 1 part/ })
    .check();
  await expect(dialog(page)).toContainText("1 difference in 1 part. All are applied, or none.");
  await dialog(page)
    .getByRole("button", { name: `Copy to ${live.name}` })
    .click();
  await dialog(page).getByRole("button", { name: "I have saved it" }).click();
  const { webhooks } = await settingsOf(live);
  expect(webhooks.map(({ url }: { url: string }) => url).toSorted()).toEqual([mine, theirs]);
});

test.describe("as a viewer", () => {
  test.use({ role: "viewer" });

  test("settings cannot be exported, applied or compared", async ({ page, environment }) => {
    await page.goto(`/${environment.slug}/settings/environments`);
    await expect(page.getByRole("list", { name: "Environments" })).toContainText(environment.name);
    await expect(page.getByRole("button", { name: /^Actions for/ })).toHaveCount(0);
  });
});
