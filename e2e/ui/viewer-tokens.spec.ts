import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import jwt from "jsonwebtoken";
import { LANGUAGES, type LanguageId } from "@/lib/snippets/snippet";
import { insertApiToken } from "../fixtures/api-token";
import {
  dialog,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  holdRequests,
  type Page,
  type TestEnvironment,
  test,
  toasts,
  typeInto,
} from "../fixtures/browser";
import { findInterpreter, missing, runSnippet } from "../fixtures/snippets";
import { claimsOf } from "../fixtures/viewer-place";

const PREVIEW = "https://preview.example.com/at#token={{viewerToken}}";

const setting = (page: Page, name: string) =>
  page.locator("main section > div > div").filter({ has: page.getByRole("heading", { name, level: 3 }) });

const settingsOf = async ({ call }: TestEnvironment) => (await call("GET", "/api/viewer-settings")).json.settings;
const set = async ({ call }: TestEnvironment, body: object) => {
  const { status, text } = await call("PUT", "/api/viewer-settings", { body });
  expect(status, text).toBe(200);
};
const mint = async ({ call }: TestEnvironment, body: object): Promise<string> => {
  const { status, text, json } = await call("POST", "/api/viewer-tokens", { body });
  expect(status, text).toBe(200);
  return json.viewer_token;
};
/** The contents of a group's token, on the page Embedding. */
const contents = (page: Page) => page.getByRole("form", { name: "What a token contains" });
async function shownClaims(page: Page) {
  const text = await contents(page).getByRole("region", { name: "Claims" }).textContent();
  return sameInEach(JSON.parse((text ?? "").replace("// in 15 minutes", "")));
}
/** The claims that are the same in each token. */
const sameInEach = ({ gen: _gen, iat: _iat, exp: _exp, jti: _jti, ...others }: Record<string, unknown>) => {
  const { viewer_key: _key, ...claims } = others;
  return claims;
};
const openEmbedding = (page: Page, { slug }: TestEnvironment) => page.goto(`/${slug}/settings/embedding`);

async function change(page: Page, name: string) {
  await page.getByRole("button", { name: `Change… ${name}` }).click();
  await expect(dialog(page)).toBeVisible();
}

async function chooseOnGroup(page: Page, item: string) {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

test("an admin chooses what viewers can read, and a minted token holds exactly that", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup({
    properties: { plan: "pro", secret: "s3cret" },
    mapping: { 40: "213", 134: "386" },
  });
  await openEmbedding(page, environment);
  await expect(contents(page)).toContainText("0 of 4 visible");
  await expect(contents(page)).toContainText("Anyone with the page can read a token.");
  await expectAccessible(page);
  await contents(page).getByRole("switch", { name: /^plan/ }).check();
  await contents(page)
    .getByRole("switch", { name: /^Schema 40/ })
    .check();
  await expect(contents(page)).toContainText("2 of 4 visible");
  const bar = page.getByRole("region", { name: "Unsaved changes" });
  await expect(bar).toContainText(/2 unsaved changes: plan.*visible.*Schema 40.*visible/);
  await expectAccessible(page);
  expect(await settingsOf(environment)).toMatchObject({ visible: { properties: [], mapping: [] } });
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("The visible properties were saved")).toBeVisible();
  await expect(bar).toHaveCount(0);
  const claims = claimsOf(await mint(environment, { user_group_id: group.provided_id, viewer: "user_42" }));
  expect(await shownClaims(page)).toEqual(sameInEach(claims));
  expect(claims).toMatchObject({ variables: { plan: "pro" }, mapping: { 40: "213" } });
  expect(JSON.stringify(claims)).not.toContain("s3cret");
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
  const sees = page.getByRole("region", { name: "What this viewer sees" });
  await expect(sees.getByRole("listitem").and(page.locator(":has(button)"))).toHaveText([/^secret/, /^Schema 134/]);
});

test("any group's token is previewed, by each template, with what rules and defaults add", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const acme = await environment.createGroup({ name: "Acme", properties: { plan: "pro", big: [1e3] } });
  const other = await environment.createGroup({ name: "Borealis", properties: { plan: "free" } });
  await set(environment, {
    visible: { properties: ["region", "gone"], mapping: ["40"] },
    audience: "renderer",
    allowed_origins: ["https://app.example.com"],
    templates: {
      cube: { audience: null, claims: { cube: { id: "{{team_id}}", of: "{{variables.region}}" } } },
      strict: { audience: null, claims: { plan: "{{variables.country}}" } },
    },
  });
  const definitions = { plan: { type: "string", viewer_visible: true }, region: { type: "string", default: "eu" } };
  await environment.call("PUT", "/api/definitions", { body: { properties: definitions, enforcement: "report" } });
  await openEmbedding(page, environment);
  for (const { name, provided_id } of [acme, other]) {
    await contents(page)
      .getByRole("button", { name: /^User group:/ })
      .click();
    const choice = page.getByRole("dialog", { name: "Choose a user group" });
    const search = name.slice(0, 4).toLowerCase();
    const release = await holdRequests(page, `**/*search=${search}*`);
    await choice.getByRole("searchbox").fill(search);
    // Enter has no effect while nothing has been found yet.
    await page.keyboard.press("Enter");
    release();
    await choice.getByRole("button", { name }).click();
    for (const template of ["None", "cube"]) {
      await contents(page)
        .getByRole("button", { name: /^Claim template:/ })
        .click();
      await page.getByRole("menuitemradio", { name: template }).click();
      const asked = { user_group_id: provided_id, viewer: "user_42", ...(template === "cube" && { template }) };
      const minted = claimsOf(await mint(environment, asked));
      await expect.poll(() => shownClaims(page)).toEqual(sameInEach(minted));
    }
  }
  await expect(contents(page).getByRole("switch", { name: /^plan free by a rule/ })).toBeDisabled();
  await expect(contents(page).getByRole("switch", { name: /^gone no value/ })).toBeChecked();
  await contents(page)
    .getByRole("button", { name: /^Claim template:/ })
    .click();
  await page.getByRole("menuitemradio", { name: "strict" }).click();
  await expect(contents(page)).toContainText("No token: variables.country is missing");
  await expectAccessible(page);
});

test("values made visible stay in the draft until saved, and merge with what others saved", async ({
  page,
  environment,
}) => {
  await environment.createGroup({ properties: { plan: "pro" } });
  await openEmbedding(page, environment);
  const find = contents(page).getByRole("searchbox", { name: "Find a property or schema" });
  for (const [name, row] of [
    ["soon", /^soon no value/],
    ["41", /^Schema 41 no value/],
  ] as const) {
    await find.fill(name);
    await page.keyboard.press("Enter");
    await contents(page).getByRole("switch", { name: row }).check();
  }
  await find.fill("");
  await page.getByRole("link", { name: "Members" }).click();
  await dialog(page).getByRole("button", { name: "Keep editing" }).click();
  await set(environment, { visible: { properties: ["plan"], mapping: [] }, audience: "theirs" });
  await change(page, "preview page");
  await page.keyboard.press("ControlOrMeta+s");
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
  expect((await settingsOf(environment)).visible.properties).toEqual(["plan"]);
  await page.keyboard.press("ControlOrMeta+s");
  await expect(toasts(page).getByText("The visible properties were saved")).toBeVisible();
  expect(await settingsOf(environment)).toMatchObject({
    visible: { properties: ["plan", "soon"], mapping: ["41"] },
    audience: "theirs",
  });
  await expect(contents(page).getByRole("switch", { name: /^plan/ })).toBeChecked();
  await contents(page).getByRole("switch", { name: /^soon/ }).uncheck();
  await page.route("**/api/viewer-settings", (route) => route.abort(), { times: 1 });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const failure = page.getByRole("alert").filter({ hasText: "Nothing was saved" });
  await expect(failure).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(contents(page).getByRole("switch", { name: /^soon/ })).toBeChecked();
  await contents(page).getByRole("switch", { name: /^plan/ }).uncheck();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toBeVisible();
  await expect(failure).toHaveCount(0);
  await page.getByRole("button", { name: "Discard" }).click();
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
});

test("a refused setting shows the reason, and the others stay as someone else set them", {
  tag: "@release",
}, async ({ page, environment }) => {
  await openEmbedding(page, environment);
  await change(page, "preview page");
  const url = dialog(page).getByLabel("URL");
  await url.fill("https://preview.example.com/?token={{viewerToken}}");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(url).toHaveAccessibleDescription(/Must contain {{viewerToken}} once, after a #/);
  await expect(url).toBeFocused();
  await expectAccessible(page);
  await set(environment, { audience: "set meanwhile" });
  await url.fill(PREVIEW);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(setting(page, "Preview page")).toContainText(PREVIEW);
  await expect(setting(page, "Audience (aud)")).toContainText("set meanwhile");

  await change(page, "allowed origins");
  await dialog(page).getByRole("radio", { name: "Only these origins" }).check();
  const origins = dialog(page).getByLabel("Origins", { exact: true });
  await origins.fill("https://app.example.com\nhttps://App.example.com/x");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(origins).toHaveAccessibleDescription(/Line 2: Must be an origin in lower case/);
  await expectAccessible(page);
  await origins.fill("https://app.example.com\nhttps://*.example.org");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(setting(page, "Allowed origins")).toContainText("https://*.example.org");

  await change(page, "audience");
  await dialog(page).getByLabel("Claim aud").fill("");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(setting(page, "Audience (aud)")).toContainText("Same as the issuer");
  expect(await settingsOf(environment)).toMatchObject({
    preview_url: PREVIEW,
    audience: null,
    allowed_origins: ["https://app.example.com", "https://*.example.org"],
  });
});

test("the embed template is checked as it is typed, and kept until it is saved", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const group = await environment.createGroup();
  await openEmbedding(page, environment);
  await expect(setting(page, "Embed template")).toContainText("Not set");
  await change(page, "embed template");
  const template = dialog(page).getByLabel("Template", { exact: true });
  await template.fill('token: ""');
  await template.press("End");
  await template.press("ArrowLeft");
  await page.getByRole("button", { name: "{{userGroupToken}}" }).click();
  await expect(template).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.type(" {{properties.plan}}\n  {{userGrupId}}");
  await expect(page.getByRole("region", { name: "Preview" })).toContainText('"ugt_SampleTokenOfAcme" sample of plan');
  const unknown = /line 2, column 3: {{userGrupId}} \(did you mean {{userGroupId}}\?\)\./;
  await expect(template).toHaveAccessibleDescription(unknown);
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(template).toBeFocused();
  await template.fill("é".repeat(8_193));
  await expect(template).toHaveAccessibleDescription(/Must have at most 16 KiB\./);
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toContainText("Your changes to the template are lost.");
  await dialog(page).getByRole("button", { name: "Keep open" }).click();
  await template.fill("id: {{userGroupId}}");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("The embed template was saved")).toBeVisible();
  await expect(setting(page, "Embed template")).toContainText("id: {{userGroupId}}");
  await change(page, "embed template");
  await database.query("UPDATE environment SET embed_template = 'theirs' WHERE slug = $1", [environment.slug]);
  await template.fill("mine");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toContainText("Someone has changed this since you opened it.");
  await database.query("UPDATE environment SET embed_template = 'id: {{userGroupId}}' WHERE slug = $1", [
    environment.slug,
  ]);
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
  await expect(page.getByRole("main")).toContainText(`id: ${group.provided_id}`);
});

const secretField = (page: Page) => dialog(page).getByLabel("Renderer’s secret", { exact: true });

async function chooseRenderer(page: Page, name: string) {
  await dialog(page)
    .getByRole("button", { name: /^Renderer/ })
    .click();
  await page.getByRole("menuitemradio", { name, exact: true }).click();
}

test("a template is created from the Cube preset, edited and deleted", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup();
  await openEmbedding(page, environment);
  await page.getByRole("button", { name: "Create template" }).click();
  await chooseRenderer(page, "Cube");
  await expect(dialog(page).getByLabel("Name")).toHaveValue("cube");
  const editor = dialog(page).getByRole("textbox", { name: "Claims" });
  await expect(editor).toContainText("{{user_group_id}}");
  await typeInto(editor, '{"iss": "mine"}');
  await dialog(page).getByRole("button", { name: "Create template" }).click();
  await expect(dialog(page)).toContainText("iss is a claim of every viewer token: choose another name");
  await expectAccessible(page);
  await typeInto(editor, '{"cube": ');
  await dialog(page).getByRole("button", { name: "Create template" }).click();
  await expect(editor).toBeFocused();
  await typeInto(editor, '{"cube": {"id": "{{team_id}}"}}');
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toContainText("Your changes to the template are lost.");
  await dialog(page).getByRole("button", { name: "Keep open" }).click();
  await dialog(page).getByRole("button", { name: "Create template" }).click();
  await expect(toasts(page).getByText("The template “cube” was created")).toBeVisible();
  await expect(page.getByRole("button", { name: "Claim template: cube" })).toBeVisible();
  const token = await mint(environment, { user_group_id: group.provided_id, template: "cube" });
  expect(claimsOf(token).cube).toEqual({ id: group.team_id });
  await expectAccessible(page);

  await page.getByRole("button", { name: "Create template" }).click();
  await dialog(page).getByRole("button", { name: "Create template" }).click();
  await expect(dialog(page).getByLabel("Name")).toHaveAccessibleDescription(/Enter a name\./);
  await dialog(page).getByLabel("Name").fill("other");
  await expect(dialog(page).getByLabel("Name")).not.toHaveAttribute("aria-invalid", "true");
  await dialog(page).getByLabel("Name").fill("");
  await chooseRenderer(page, "Cube");
  await dialog(page).getByRole("button", { name: "Create template" }).click();
  await expect(dialog(page).getByLabel("Name")).toHaveAccessibleDescription(/Another template has this name\./);
  await expect(dialog(page).getByLabel("Name")).toBeFocused();
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Edit… template cube" }).click();
  await dialog(page).getByLabel("Audience").fill("cube-api");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("ES256, Audience cube-api")).toBeVisible();
  // What someone else has saved since the dialog opened is not overwritten.
  await page.getByRole("button", { name: "Edit… template cube" }).click();
  await set(environment, { templates: { cube: { audience: null, claims: { cube: "theirs" } } } });
  await dialog(page).getByLabel("Audience").fill("mine");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toContainText("Someone has changed this since you opened it.");
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  expect(await settingsOf(environment)).toMatchObject({ templates: { cube: { claims: { cube: "theirs" } } } });
  await page.getByRole("button", { name: "Delete… template cube" }).click();
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Delete template" }).click();
  await expect(page.getByText("No templates")).toBeVisible();
  await expect(page.getByRole("region", { name: "Keys: Template cube" })).toContainText("(deleted)");
  expect(await settingsOf(environment)).toMatchObject({ templates: {} });
});

test("a renderer's secret is pasted, never shown again, and asked for when claims change", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup();
  const secret = randomBytes(32).toString("hex");
  await openEmbedding(page, environment);
  await page.getByRole("button", { name: "Create template" }).click();
  await chooseRenderer(page, "Metabase");
  await expect(dialog(page).getByRole("region", { name: "For Metabase" })).toContainText("/embed/dashboard/TOKEN");
  await secretField(page).fill("too short");
  await dialog(page).getByRole("button", { name: "Create template" }).click();
  await expect(secretField(page)).toHaveAccessibleDescription(/Must have at least 32 bytes/);
  await expect(secretField(page)).toBeFocused();
  await expectAccessible(page);
  await secretField(page).fill(secret);
  await dialog(page).getByRole("button", { name: "Create template" }).click();
  await expect(toasts(page).getByText("The template “metabase” was created")).toBeVisible();
  const token = await mint(environment, { user_group_id: group.provided_id, template: "metabase" });
  expect(jwt.verify(token, secret)).toMatchObject({ params: { customer: group.provided_id } });
  await expect(page.getByRole("region", { name: "Keys: Template metabase" })).toHaveCount(0);

  await page.getByRole("button", { name: "Edit… template metabase" }).click();
  await expect(secretField(page)).toHaveValue("");
  await typeInto(dialog(page).getByRole("textbox", { name: "Claims" }), '{"resource": {"dashboard": 2}, "params": {}}');
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(secretField(page)).toHaveAccessibleDescription(/Must be sent again/);
  await secretField(page).fill(secret);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("The template “metabase” was saved")).toBeVisible();
  expect(await page.content()).not.toContain(secret);
});

test("a key is created, rotated and revoked", { tag: "@release" }, async ({ page, environment }) => {
  await openEmbedding(page, environment);
  const keys = page.getByRole("region", { name: "Keys: Viewer tokens" });
  await expect(keys).toContainText("No key yet.");
  await keys.getByRole("button", { name: /^Rotate…/ }).click();
  await dialog(page).getByRole("button", { name: "Rotate key" }).click();
  await expect(keys.getByRole("listitem")).toHaveText([/^Current/]);
  await keys.getByRole("button", { name: /^Rotate…/ }).click();
  await expect(dialog(page)).toContainText("begins to sign an hour later");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Rotate key" }).click();
  await expect(keys.getByRole("listitem")).toHaveText([/^Next.*signs from /, /^Current/]);
  await expect(keys.getByRole("button", { name: /^Rotate…/ })).toHaveCount(0);
  await expectAccessible(page);
  const { json } = await environment.call("GET", `/e/${environment.slug}/.well-known/jwks.json`);
  expect(json.keys).toHaveLength(2);

  const group = await environment.createGroup();
  const token = await mint(environment, { user_group_id: group.provided_id });
  await keys
    .getByRole("button", { name: /^Revoke…/ })
    .last()
    .click();
  await expect(dialog(page)).toContainText("Until renderers read the keys again, usually within 5 minutes");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Revoke key" }).click();
  await expect(toasts(page).getByText("The key was revoked")).toBeVisible();
  await expect(keys.getByRole("listitem")).toHaveText([/^Current/]);
  await keys.getByText("1 earlier key").click();
  await expect(keys.getByRole("listitem")).toHaveText([/^Current/, /^Revoked/]);
  await expectAccessible(page);
  const asked = await environment.call("POST", "/api/viewer", { body: { token } });
  expect(asked.json).toEqual({ success: 1, active: false });
});

test.describe("in a Customer environment", () => {
  test.use({ tag: "Customer" });

  test("a key is revoked by typing the slug", async ({ page, environment, owner }) => {
    await owner.in(environment.slug).post("viewer-keys/rotate", {});
    await openEmbedding(page, environment);
    await page.getByRole("button", { name: /^Revoke…/ }).click();
    await expect(dialog(page).getByRole("button", { name: "Revoke key" })).toBeDisabled();
    await dialog(page).getByRole("textbox").fill(environment.slug);
    await dialog(page).getByRole("button", { name: "Revoke key" }).click();
    await expect(page.getByText("1 earlier key")).toBeVisible();
  });
});

test("View as opens the preview page in a new tab with a preview token, and is recorded", {
  tag: "@release",
}, async ({ page, context, environment, member }) => {
  const group = await environment.createGroup({ name: "Acme" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await test.step("without one, it links to the setting", async () => {
    await page.getByRole("button", { name: "View as" }).click();
    await expect(dialog(page)).toContainText("No preview page yet");
    await expectAccessible(page);
    await dialog(page).getByRole("link", { name: "Set preview page" }).click();
    await expect(page).toHaveURL(`/${environment.slug}/settings/embedding`);
  });
  await set(environment, { preview_url: PREVIEW });
  const sent: string[] = [];
  await context.route("https://preview.example.com/**", async (route) => {
    sent.push(route.request().url());
    await route.fulfill({ contentType: "text/html", body: "<title>Preview</title>" });
  });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  const opened = context.waitForEvent("page");
  await page.getByRole("button", { name: "View as" }).click();
  const tab = await opened;
  await tab.waitForURL(/#token=eyJ/);
  expect(await tab.evaluate(() => window.opener)).toBeNull();
  expect(sent).toEqual(["https://preview.example.com/at"]);
  const token = new URL(tab.url()).hash.slice("#token=".length);
  const { json } = await environment.call("POST", "/api/viewer", { body: { token } });
  expect(json).toMatchObject({ active: true, viewer_token: { preview: true } });
  await page.getByRole("tab", { name: /^History/ }).click();
  await expect(page).toHaveURL(/[?&]tab=history/);
  await page.reload();
  await expect(page.getByRole("button", { name: `${member.name} viewed the dashboards` })).toBeVisible();

  await environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: group.provided_id } });
  await page.reload();
  await chooseOnGroup(page, "View as");
  await expect(toasts(page).getByText("It is suspended. Resume it first.")).toBeVisible();
  expect(context.pages()).toHaveLength(2);
});

test("a failed View as leaves no empty tab behind", { tag: "@release" }, async ({ page, context, environment }) => {
  const group = await environment.createGroup({ name: "Acme" });
  await set(environment, { preview_url: PREVIEW });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  // The toast code loads last.
  await expect(toasts(page)).toBeAttached();
  await context.setOffline(true);
  await page.getByRole("button", { name: "View as" }).click();
  await expect(toasts(page).getByText("You are offline. Try again when the connection is back.")).toBeVisible();
  await expect.poll(() => context.pages().length).toBe(1);
  await context.setOffline(false);
});

test("ending all views ends viewer tokens, keeps the token, and shows when it was last done", {
  tag: "@release",
}, async ({ page, environment, member }) => {
  const group = await environment.createGroup({ name: "Acme" });
  const token = await mint(environment, { user_group_id: group.provided_id });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await chooseOnGroup(page, "End all views…");
  await expect(dialog(page)).toContainText("refuse them immediately");
  await expect(dialog(page)).not.toContainText("Last done by");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "End all views" }).click();
  await expect(toasts(page).getByText("All views of “Acme” were ended")).toBeVisible();
  const ask = async (one: string) => (await environment.call("POST", "/api/viewer", { body: { token: one } })).json;
  expect(await ask(token)).toEqual({ success: 1, active: false, reason: "revoked" });
  expect((await ask(group.token)).active).toBe(true);
  await chooseOnGroup(page, "End all views…");
  await expect(dialog(page)).toContainText(`Last done by ${member.name} just now`);

  await test.step("a lost answer is looked up", async () => {
    await page.route("**/api/user-groups/end-views", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await dialog(page).getByRole("button", { name: "End all views" }).click();
    await expect(toasts(page).getByText("The response was lost, so the dashboard checked the result.")).toBeVisible();
    await page.unroute("**/api/user-groups/end-views");
  });
  await test.step("one never sent is distinguished", async () => {
    await chooseOnGroup(page, "End all views…");
    await page.route("**/api/user-groups/end-views", (route) => route.abort());
    await dialog(page).getByRole("button", { name: "End all views" }).click();
    await expect(dialog(page).getByRole("alert")).toContainText("No view was ended. Try again.");
  });
});

test("one person's views are ended and blocked, and the history says so", async ({ page, environment, member }) => {
  const group = await environment.createGroup({ name: "Acme" });
  const body = { user_group_id: group.provided_id, viewer: "user_42" };
  const token = await mint(environment, body);
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await chooseOnGroup(page, "End one person’s views…");
  await expect(dialog(page)).toContainText("Without a block, your backend can ask for new ones right away.");
  await expectAccessible(page);
  const endViews = dialog(page).getByRole("button", { name: "End views" });
  await dialog(page).getByLabel("Person", { exact: true }).fill("user_42");
  await dialog(page).getByLabel("Block until").fill("2020-01-01T00:00");
  await endViews.click();
  await expect(dialog(page).getByRole("alert")).toContainText(/must be later than now/i);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  await dialog(page).getByLabel("Block until").fill(`${tomorrow}T12:00`);
  await endViews.click();
  await expect(toasts(page).getByText("The views of “user_42” were ended")).toBeVisible();
  const asked = await environment.call("POST", "/api/viewer", { body: { token } });
  expect(asked.json).toEqual({ success: 1, active: false, reason: "revoked" });
  const refused = await environment.call("POST", "/api/viewer-tokens", { body });
  expect(refused.json.error.code).toBe("viewer_ended");
  await page.getByRole("tab", { name: "History" }).click();
  await expect(page.getByRole("tabpanel")).toContainText(`${member.name} ended one person’s views`);
  await expect(page.getByRole("tabpanel")).toContainText("blocked until");
});

test("a group uses its own origins or its environment's", { tag: "@release" }, async ({ page, environment }) => {
  await set(environment, { allowed_origins: ["https://app.example.com"] });
  const group = await environment.createGroup({ name: "Acme" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
  const panel = page.getByRole("region", { name: "Allowed origins" });
  await expect(panel).toContainText(/https:\/\/app\.example\.com.*As in its environment\./);
  await panel.getByRole("button", { name: /^Change…/ }).click();
  await dialog(page).getByRole("radio", { name: "Only these origins" }).check();
  await dialog(page).getByLabel("Origins", { exact: true }).fill("customer.example.com");
  await dialog(page).getByRole("radio").first().check();
  await expect(dialog(page).getByLabel("Origins", { exact: true })).toBeHidden();
  await dialog(page).getByRole("radio", { name: "Only these origins" }).check();
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toContainText("Line 1: Must be an origin in lower case");
  await expectAccessible(page);
  await dialog(page).getByLabel("Origins", { exact: true }).fill("https://customer.example.com");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(panel).toContainText(/https:\/\/customer\.example\.com.*Set for this group\./);
  const claims = claimsOf(await mint(environment, { user_group_id: group.provided_id }));
  expect(claims.origins).toEqual(["https://customer.example.com"]);
  await panel.getByRole("button", { name: /^Change…/ }).click();
  const theirs = { user_group_id: group.provided_id, allowed_origins: ["https://theirs.example.com"] };
  await environment.call("PUT", "/api/user-groups/allowed-origins", { body: theirs });
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toContainText("Someone has changed this since you opened it.");
});

test("the programs on the Embed tab get a viewer token", { tag: "@release" }, async ({ page, environment, stage }) => {
  const run: LanguageId[] = ["curl", "python", "typescript"];
  for (const language of run) test.skip(!findInterpreter(language), missing(language));
  const group = await environment.createGroup({ name: "Acme" });
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const api = await insertApiToken(settings, { environment: environment.slug, scopes: ["viewers:mint"] });
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
  await page.getByRole("radio", { name: "Viewer token", exact: true }).check();
  const step = page.getByRole("listitem").filter({ hasText: "Copy this into your backend" });
  const folder = await mkdtemp(path.join(tmpdir(), "mint-snippets-"));
  for (const id of run) {
    const interpreter = findInterpreter(id);
    if (!interpreter) throw new Error(missing(id));
    await step.getByRole("radio", { name: LANGUAGES[id].name }).check();
    const text = (await step.locator("pre").textContent()) ?? "";
    const shown = { text, file: `shown.${LANGUAGES[id].extension}` };
    const ended = await runSnippet(interpreter, shown, { folder, tokens: { api } });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const token = id === "curl" ? JSON.parse(ended.stdout).viewer_token : ended.stdout.trim();
    expect(claimsOf(token)).toMatchObject({ sub: group.provided_id, viewer: "user_42" });
  }
  await rm(folder, { recursive: true });
  await expectAccessible(page);
});

test("viewers and the Embed tab fit a phone", { tag: "@release" }, async ({ page, environment }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const long = `https://${"sub.".repeat(30)}example.com`;
  const claims = { cube: { variables: "{{variables}}", text: "x".repeat(200) } };
  await set(environment, {
    preview_url: `${long}/#{{viewerToken}}`,
    allowed_origins: [long],
    audience: "a".repeat(200),
    visible: { properties: ["p".repeat(200)], mapping: ["40"] },
    templates: { cube: { claims } },
  });
  const group = await environment.createGroup({ name: "Acme" });
  await mint(environment, { user_group_id: group.provided_id });
  await openEmbedding(page, environment);
  await expect(page.getByRole("region", { name: "Keys: Viewer tokens" })).toContainText("Current");
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
  for (const [button, field] of [
    ["Change… allowed origins", "Origins"],
    ["Change… embed template", "Template"],
    ["Edit… template cube", "Audience"],
  ] as const) {
    await page.getByRole("button", { name: button }).click();
    await expect(dialog(page).getByLabel(field, { exact: true })).toBeVisible();
    await expectNoSidewaysScrolling(page);
    await dialog(page).getByRole("button", { name: "Cancel" }).click();
  }
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
  await expect(page.getByRole("heading", { name: "Copy this into your backend" })).toBeVisible();
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "More actions" }).click();
  await expect(page.getByRole("menuitem", { name: "View as" })).toBeVisible();
});

test("the palette opens the settings and offers their actions", { tag: "@release" }, async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Acme" });
  const search = async (text: string) => {
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox", { name: "Search and commands" }).fill(text);
  };
  const option = (name: string) => page.getByRole("option", { name, exact: true });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await search("end all");
  await option("End all views…").click();
  await expect(dialog(page)).toContainText("End all views of “Acme”?");
  await page.keyboard.press("Escape");
  await search("view as");
  await option("View as").click();
  await expect(dialog(page)).toContainText("No preview page yet");
  await page.keyboard.press("Escape");
  await search("embedding");
  await option("Embedding").click();
  await expect(page).toHaveURL(`/${environment.slug}/settings/embedding`);
  await expect(page.getByRole("button", { name: "Change… audience" })).toBeVisible();
  await search("change ");
  const offered = page.getByRole("group", { name: "On this page" }).getByRole("option");
  await expect(offered).toHaveText([
    "Change allowed origins…",
    "Change audience (aud)…",
    "Change preview page…",
    "Change embed template…",
  ]);
  await option("Change audience (aud)…").click();
  await expect(dialog(page).getByLabel("Claim aud")).toBeVisible();
});

test("the activity describes every change in words", { tag: "@release" }, async ({
  page,
  environment,
  owner,
  member,
}) => {
  const group = await environment.createGroup({ name: "Acme" });
  const mine = owner.in(environment.slug);
  await set(environment, { preview_url: PREVIEW });
  await environment.call("PUT", "/api/user-groups/allowed-origins", {
    body: { user_group_id: group.provided_id, allowed_origins: ["https://a.example.com"] },
  });
  await mine.post("viewer-keys/rotate", {});
  const { json } = await mine.get("viewer-keys");
  await mine.post("viewer-keys/revoke", { kid: json.keys[0].kid });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await chooseOnGroup(page, "End all views…");
  await dialog(page).getByRole("button", { name: "End all views" }).click();
  await expect(toasts(page).getByText("All views of “Acme” were ended")).toBeVisible();
  await page.goto(`/${environment.slug}/activity`);
  for (const words of [
    `${member.name} ended all views of Acme`,
    "e2e changed the allowed origins of Acme",
    /changed the viewer settings of the environment/,
    /rotated a signing key of the environment/,
    /revoked a signing key of the environment/,
  ]) {
    await expect(page.getByRole("button", { name: words })).toBeVisible();
  }
  const changed = page.getByRole("button", { name: /changed the viewer settings/ });
  await changed.click();
  await expect(page.getByRole("main")).toContainText("https://preview.example.com/at");
  await expectAccessible(page);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("reads the settings, without buttons and keys", { tag: "@release" }, async ({ page, environment }) => {
    const group = await environment.createGroup({ name: "Acme" });
    await openEmbedding(page, environment);
    await expect(setting(page, "Preview page")).toContainText("Not set");
    await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
    await expect(page.getByRole("heading", { name: "Signing keys" })).toHaveCount(0);
    await expectAccessible(page);
    await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
    await expect(page.getByRole("region", { name: "Allowed origins" })).toContainText("Anywhere");
    await expect(page.getByRole("button", { name: "View as" })).toHaveCount(0);
  });
});
