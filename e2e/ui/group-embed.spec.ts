import type { Page } from "@playwright/test";
import { LANGUAGES } from "@/lib/snippets/snippet";
import {
  clipboard,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type TestEnvironment,
  test,
} from "../fixtures/browser";
import { claimsOf } from "../fixtures/viewer-place";

const tokenBar = (page: Page) => page.getByRole("region", { name: "User group token" });
const sees = (page: Page) => page.getByRole("region", { name: "What this viewer sees" });
const way = (page: Page, name: string) => page.getByRole("radio", { name, exact: true });
const mint = async ({ call }: TestEnvironment, user_group_id: string) =>
  claimsOf((await call("POST", "/api/viewer-tokens", { body: { user_group_id } })).json.viewer_token);

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("the token is copied in one click on every tab", { tag: "@release" }, async ({ page, environment }) => {
  const { team_id, token } = await environment.createGroup({ name: "Acme" });
  for (const tab of ["embed", "history", "details"]) {
    await page.goto(`/${environment.slug}/groups/${team_id}?tab=${tab}`);
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await tokenBar(page).getByRole("button", { name: "Copy token" }).click();
    await expect.poll(() => clipboard(page)).toBe(token);
  }
});

test("the embed is copied in the format chosen last, here and in the next group", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const first = await environment.createGroup({ name: "Acme" });
  const second = await environment.createGroup({ name: "Borealis" });
  await page.goto(`/${environment.slug}/groups/${first.team_id}`);
  await tokenBar(page).getByRole("button", { name: "Copy embed · HTML" }).click();
  await expect.poll(() => clipboard(page)).toContain(`data-user-group-token="${first.token}"`);
  await tokenBar(page).getByRole("button", { name: "Embed formats" }).click();
  await page.getByRole("menuitemradio", { name: "React" }).click();
  await expect.poll(() => clipboard(page)).toContain(`userGroupToken="${first.token}"`);
  await page.goto(`/${environment.slug}/groups/${second.team_id}?tab=embed`);
  await expect(page.getByRole("radio", { name: "React" })).toBeChecked();
  await tokenBar(page).getByRole("button", { name: "Copy embed · React" }).click();
  await expect.poll(() => clipboard(page)).toContain(`userGroupToken="${second.token}"`);
  await page.getByRole("button", { name: "Copy without token" }).click();
  await expect.poll(() => clipboard(page)).toContain("YOUR_USER_GROUP_TOKEN");
  expect(await clipboard(page)).not.toContain(second.token);
});

test("the token in the page comes first until a viewer token is minted, then viewer tokens do", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { team_id, provided_id } = await environment.createGroup({ name: "Acme" });
  const ways = page.getByRole("group", { name: "How to embed" }).getByRole("radio");
  await page.goto(`/${environment.slug}/groups/${team_id}?tab=embed`);
  await expect(way(page, "Token in page")).toBeChecked();
  await expect(ways.first()).toHaveAccessibleName("Token in page");
  await way(page, "Viewer token").check();
  await expect(page.getByRole("heading", { name: "Copy this into your backend" })).toBeVisible();
  await mint(environment, provided_id);
  await page.reload();
  await expect(way(page, "Viewer token")).toBeChecked();
  await expect(ways.first()).toHaveAccessibleName("Viewer token");
});

test("the Embed tab is on one screen, whatever the language, and no line is cut", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const properties = Object.fromEntries(Array.from({ length: 36 }, (_, index) => [`property_${index}`, "value"]));
  const group = await environment.createGroup({ user_group_id: "northwind", name: "Northwind Traders", properties });
  await environment.call("PUT", "/api/viewer-settings", { body: { visible: { properties: ["property_7"] } } });
  await mint(environment, group.provided_id);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
  await expect(sees(page)).toContainText("1 visible, 35 hidden");
  const scrolled = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
  for (const { name } of Object.values(LANGUAGES)) {
    await page.getByRole("radio", { name, exact: true }).check();
    expect(await scrolled(), name).toBe(0);
  }
  await way(page, "Token in page").check();
  await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
  expect(await scrolled()).toBe(0);
  await expectAccessible(page);

  await way(page, "Viewer token").check();
  for (const width of [320, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    for (const code of await page.getByRole("tabpanel").locator("pre").all()) {
      expect(await code.evaluate((pre) => pre.scrollWidth - pre.clientWidth)).toBe(0);
    }
    await expectNoSidewaysScrolling(page);
  }
  await page.reload();
  await expect(page.getByRole("radio", { name: "Java", exact: true })).toBeChecked();
  const unfold = page.getByRole("button", { name: /^Show all \d+ lines$/ });
  await expect(unfold).toHaveText(["Show all 28 lines", "Show all 9 lines"]);
  await unfold.last().click();
  await expect(unfold).toHaveText(["Show all 28 lines"]);
});

test("a hidden property is made visible, and viewer tokens contain it", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup({ properties: { plan: "pro", region: "eu" }, mapping: { 40: "213" } });
  await environment.call("PUT", "/api/viewer-settings", { body: { visible: { properties: ["region"] } } });
  await environment.call("PUT", "/api/definitions", {
    body: { schemas: { 40: { name: "Orders" } }, data_sources: { 213: { name: "Orders EU" } } },
  });
  expect(await mint(environment, group.provided_id)).toMatchObject({ variables: { region: "eu" } });
  await page.goto(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
  await expect(sees(page).getByRole("listitem")).toHaveText([
    /region.*eu/,
    /plan.*Make visible/,
    /Orders.*Make visible/,
  ]);
  for (const name of ["plan", "Orders"]) {
    await sees(page)
      .getByRole("button", { name: `Make visible… ${name}` })
      .click();
    const dialog = page.getByRole("dialog", { name: `Make “${name}” visible?` });
    await expect(dialog).toContainText("Anyone with the page can read it.");
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Make visible" }).click();
    await expect(dialog).toHaveCount(0);
  }
  await expect(sees(page)).toContainText("3 visible, 0 hidden");
  await expect(sees(page)).toContainText("Orders EU");
  expect(await mint(environment, group.provided_id)).toMatchObject({
    variables: { region: "eu", plan: "pro" },
    mapping: { 40: "213" },
  });
});

test("the Embed tab turns green once a renderer checks the token, without a reload", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id, token } = await environment.createGroup({
    name: "Northwind",
    mapping: { 40: "213" },
    properties: { plan: "pro" },
  });
  await page.goto(`/${environment.slug}/groups/${team_id}?tab=embed`);
  await expect(sees(page).getByRole("listitem")).toHaveText([/plan.*pro/, /Schema 40.*213/]);
  await expect(page.getByText("Waiting for the first use…")).toBeVisible();
  await expectAccessible(page);
  const { json } = await environment.call("POST", "/api/viewer", { body: { token } });
  expect(json.active).toBe(true);
  await expect(page.getByText("Seen just now")).toBeVisible();
  await expect(page.getByRole("button", { name: "Access: In use" })).toBeVisible();
  await expectAccessible(page);
});

test("on a phone the token is copied from the bottom of the window", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const { team_id, token } = await environment.createGroup({ name: "Acme", properties: { plan: "pro" } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const copy = tokenBar(page).getByRole("button", { name: "Copy token" });
  const { y = 0 } = (await copy.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(560);
  await copy.click();
  await expect.poll(() => clipboard(page)).toBe(token);
  await expectNoSidewaysScrolling(page);
  // The on-screen keyboard and the save bar replace the button.
  await page.getByLabel("Name", { exact: true }).fill("Acme AG");
  await expect(copy).toBeHidden();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(copy).toBeVisible();
  await expectAccessible(page);
});

test("after a rotation the dialog waits for the first check of the new token", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id, token, provided_id } = await environment.createGroup({ name: "Acme" });
  await environment.call("POST", "/api/viewer", { body: { token } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await page.getByRole("button", { name: "Rotate…" }).click();
  const question = page.getByRole("dialog", { name: "Rotate the token of “Acme”?" });
  await expect(question).toContainText(`${environment.name} · test data`);
  await expect(question).toContainText(/It (was last used|has never been used)/);
  await question.getByRole("button", { name: "Rotate token" }).click();
  const done = page.getByRole("dialog", { name: "The token was rotated" });
  await expect(done).toContainText("Waiting for the first check of the new token…");
  const { json } = await environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
  await environment.call("POST", "/api/viewer", { body: { token: json.user_group.token } });
  await expect(done).toContainText("First check of the new token");
  await expectAccessible(page);
});
