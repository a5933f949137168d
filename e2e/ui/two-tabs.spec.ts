import type { Locator, Route } from "@playwright/test";
import type { Database } from "../fixtures/api";
import {
  clipboard,
  expect,
  expectAccessible,
  type Page,
  type TestEnvironment,
  test,
  toasts,
  typeInto,
  whenAlive,
} from "../fixtures/browser";
import { createMember } from "../fixtures/member";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

const field = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const value = (page: Page, row: number) => field(page, "Properties").getByLabel(`Value, row ${row}`);
const conflictOf = (page: Page) => page.getByRole("dialog", { name: /this group/ });
const saved = (page: Page) => expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
const save = (page: Page) => page.getByRole("button", { name: "Save", exact: true }).click();

const PROPERTIES = { plan: "free", seats: 39, region: "us" };

async function storedOf(database: Database, teamId: number) {
  const [row] = await database.query("SELECT name, mapping, properties FROM user_group WHERE team_id = $1", [teamId]);
  return row;
}

test("what two people change without a collision is all kept, and nothing else is sent", { tag: "@release" }, async ({
  page,
  environment,
  database,
  openAs,
}) => {
  const mapping = { 40: "213" };
  const { team_id } = await environment.createGroup({ name: "Shared", mapping, properties: PROPERTIES });
  const path = `/${environment.slug}/groups/${team_id}`;
  const other = await openAs(await createMember(database, "admin"));
  await page.goto(path);
  await other.goto(path);
  await field(page, "Properties").getByLabel("Name, row 3").fill("zone");
  await value(other, 2).fill("1001");
  await other.getByLabel("Name", { exact: true }).fill("Renamed");
  await save(other);
  await saved(other);

  const request = page.waitForRequest((one) => one.method() === "PATCH" && one.url().endsWith("/api/user"));
  await save(page);
  await saved(page);
  await expect(conflictOf(page)).toHaveCount(0);
  const { user_group_id, ...sent } = (await request).postDataJSON();
  expect(sent).toEqual({ properties: { zone: "us", region: null } });
  expect(await storedOf(database, team_id)).toEqual({
    name: "Renamed",
    mapping: '{"40":"213"}',
    properties: '{"plan":"free","seats":1001,"zone":"us"}',
  });
  await expect(value(page, 2)).toHaveValue("1001");
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Renamed");
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
});

test("what others save reaches the fields around the caret, and the next letter goes into its field", {
  tag: "@release",
}, async ({ page, environment }) => {
  const mapping = { 40: "213" };
  const { team_id, provided_id } = await environment.createGroup({ name: "Shared", mapping, properties: PROPERTIES });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const change = async (fields: object) => {
    const body = { user_group_id: provided_id, ...fields };
    expect((await environment.call("PATCH", "/api/user", { body })).status).toBe(200);
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
  };
  const name = page.getByLabel("Name", { exact: true });
  // Fresh data is not read again.
  await page.waitForTimeout(5_500);
  await name.press("End");
  await change({ properties: { plan: "pro" }, mapping: { 41: "7" } });
  await expect(value(page, 1)).toHaveValue("pro");
  await expect(field(page, "Mapping").getByRole("listitem")).toHaveCount(2);
  await expect(name).toBeFocused();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);

  await page.waitForTimeout(5_500);
  await value(page, 1).press("End");
  await change({ name: "Renamed", mapping: { 42: "8" } });
  await expect(name).toHaveValue("Renamed");
  await expect(value(page, 1)).toBeFocused();
  await page.keyboard.type("n");
  await expect(value(page, 1)).toHaveValue("pron");
  await save(page);
  await saved(page);
  const { json } = await environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
  expect(json.user_group).toMatchObject({ name: "Renamed", properties: { plan: "pron", seats: 39 } });
});

test("members that both changed are asked about one by one, and the rest merges", { tag: "@release" }, async ({
  page,
  environment,
  database,
  openAs,
}) => {
  const { team_id } = await environment.createGroup({ name: "Shared", properties: PROPERTIES });
  const path = `/${environment.slug}/groups/${team_id}`;
  const theirs = await createMember(database, "admin");
  const other = await openAs(theirs);
  await page.goto(path);
  await other.goto(path);
  await value(page, 2).fill("40");
  await field(page, "Properties").getByRole("button", { name: "Remove row 3" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await value(other, 1).fill("pro");
  await value(other, 2).fill("1001");
  await value(other, 3).fill("eu");
  await save(other);
  await saved(other);

  await save(page);
  const conflict = conflictOf(page);
  await expect(conflict).toHaveAccessibleName(new RegExp(`^${theirs.name} saved this group`));
  await expect(conflict).toContainText("Both sides changed seats and region. Choose what to keep.");
  await expect(conflict.getByRole("radiogroup")).toHaveCount(2);
  await expect(conflict.getByRole("listitem")).toContainText([/name.*Shared.*Mine.*yours$/, /plan.*free.*pro.*saved$/]);
  await expect(conflict).toContainText("Choose a value for seats and region.");
  await expect(conflict.getByRole("button", { name: /^Save/ })).toBeDisabled();
  await expectAccessible(page);
  await conflict.getByRole("button", { name: "Keep all" }).first().click();
  await expect(conflict).toContainText("Saves your name. Keeps the saved seats and region.");
  await conflict.getByRole("radiogroup", { name: "seats" }).getByRole("radio", { name: /^40/ }).check();
  await expect(conflict).toContainText("Saves your seats and name. Keeps the saved region.");
  expect(await storedOf(database, team_id)).toMatchObject({ name: "Shared" });
  // Typed after Save was pressed: not part of what is saved.
  await page.getByLabel("Name", { exact: true }).evaluate((field: HTMLInputElement) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, "Mine, later");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await conflict.getByRole("button", { name: "Save 2 changes" }).click();
  await saved(page);
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Mine, later");
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  expect(await storedOf(database, team_id)).toMatchObject({
    name: "Mine",
    properties: '{"plan":"pro","seats":40,"region":"eu"}',
  });
  await expect(value(page, 3)).toHaveValue("eu");

  await test.step("a change from one’s own other tab is named as such, and either side can be kept", async () => {
    const tab = await page.context().newPage();
    await tab.goto(path);
    // A selection made while React hydrates may be lost.
    await whenAlive(tab);
    await value(tab, 2).fill("50");
    await save(tab);
    await saved(tab);
    await value(page, 2).fill("60");
    await save(page);
    await expect(conflict).toHaveAccessibleName("You changed this group in another tab");
    await conflict.getByRole("button", { name: "Keep editing" }).click();
    await expect(value(page, 2)).toHaveValue("60");
    await save(page);
    await expect(conflict.getByRole("button", { name: "Keep all" })).toHaveCount(0);
    await conflict.getByRole("radio", { name: /^50/ }).check();
    await conflict.getByRole("button", { name: "Discard my changes" }).click();
    await expect(conflict).toHaveCount(0);
    await expect(value(page, 2)).toHaveValue("50");
    expect((await storedOf(database, team_id)).properties).toContain('"seats":50');
  });
});

test("each row of a conflict says what changed, and its title who saved last", { tag: "@release" }, async ({
  page,
  environment,
  database,
  openAs,
}) => {
  const mapping = { 40: "213" };
  const group = await environment.createGroup({ name: "Shared", mapping, properties: PROPERTIES });
  const path = `/${environment.slug}/groups/${group.team_id}`;
  const theirs = await createMember(database, "admin");
  const other = await openAs(theirs);
  await page.goto(path);
  await other.goto(path);
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await value(page, 2).fill("40");
  await field(page, "Mapping").getByLabel("Data source, row 1").fill("214");
  await other.getByLabel("Name", { exact: true }).fill("Theirs");
  await value(other, 1).fill("pro");
  await save(other);
  await saved(other);
  const body = { user_group_id: group.provided_id, mapping: { 40: "215" }, properties: { seats: 50 } };
  expect((await environment.call("PATCH", "/api/user", { body })).status).toBe(200);

  await save(page);
  const conflict = conflictOf(page);
  await expect(conflict).toHaveAccessibleName(/^e2e saved this group/);
  await expect(conflict).toContainText("Both sides changed name, seats, and schema 40.");
  const radio = (name: string, side: RegExp) =>
    conflict.getByRole("radiogroup", { name, exact: true }).getByRole("radio", { name: side });
  await expect(radio("Name", /^Theirs\s*Saved$/)).toBeVisible();
  await expect(radio("seats", /^50\s*Saved$/)).toBeVisible();
  await expect(radio("schema 40", /^215\s*Saved$/)).toBeVisible();
  await expect(radio("Name", /^Mine\s*Yours$/)).toBeVisible();
  await expect(conflict.getByRole("listitem")).toHaveText([/^plan.*saved$/]);
  await radio("Name", /^Theirs/).check();
  await radio("seats", /^50/).check();
  await radio("schema 40", /^214/).check();
  await expect(conflict).toContainText("Saves your schema 40. Keeps the saved name and seats.");
  await expectAccessible(page);
  await conflict.getByRole("button", { name: "Save 1 change" }).click();
  await saved(page);
  expect(await storedOf(database, group.team_id)).toEqual({
    name: "Theirs",
    mapping: '{"40":"214"}',
    properties: '{"plan":"pro","seats":50,"region":"us"}',
  });
});

test("closing a conflict does not stop its save, and the page waits for it", {
  tag: "@release",
}, async ({ page, environment, database }) => {
  const { team_id, provided_id } = await environment.createGroup({ name: "Shared", properties: PROPERTIES });
  const change = async (properties: object) => {
    const body = { user_group_id: provided_id, properties };
    expect((await environment.call("PATCH", "/api/user", { body })).status).toBe(200);
  };
  const conflict = conflictOf(page);
  /** Saves over a seats of someone else's, and closes the dialog before the service answers. */
  const saveAndClose = async (seats: number, theirs: number) => {
    await value(page, 2).fill(String(seats));
    await change({ seats: theirs });
    await save(page);
    await conflict.getByRole("radio", { name: new RegExp(`^${seats}`) }).check();
    const held = new Promise<Route>((resolve) => page.route("**/api/user", resolve, { times: 1 }));
    await conflict.getByRole("button", { name: "Save 1 change" }).click();
    const sent = await held;
    await expect(conflict).toContainText("Still waiting for the service");
    await conflict.getByRole("button", { name: "Close" }).last().click();
    await expect(page.getByRole("button", { name: "Discard" })).toBeDisabled();
    return sent;
  };
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const first = await saveAndClose(40, 50);
  await change({ plan: "pro" });
  await first.continue();
  await saved(page);
  await expect(value(page, 1)).toHaveValue("pro");
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
  expect((await storedOf(database, team_id)).properties).toBe('{"plan":"pro","seats":40,"region":"us"}');

  const second = await saveAndClose(60, 70);
  await change({ seats: 80 });
  await second.continue();
  await expect(toasts(page)).toContainText("Nothing was saved");
  await expect(toasts(page)).toContainText("saved again in the meantime");
  await conflict.getByRole("radio", { name: /^60/ }).check();
  await conflict.getByRole("button", { name: "Save 1 change" }).click();
  await expect(conflict).toHaveCount(0);
  expect((await storedOf(database, team_id)).properties).toBe('{"plan":"pro","seats":60,"region":"us"}');
});

const WAYS = {
  "a program's PUT": ({ call }: TestEnvironment, user_group_id: string, properties: object) =>
    call("PUT", "/api/user", { body: { user_group_id, properties } }),
  "a batch": ({ call }: TestEnvironment, user_group_id: string, properties: object) =>
    call("POST", "/api/user-groups/batch", {
      body: { mode: "update", user_groups: [{ user_group_id, properties }] },
    }),
};

for (const [way, change] of Object.entries(WAYS)) {
  test(`changes by ${way} merge, and each collision is asked about again`, { tag: "@release" }, async ({
    page,
    environment,
    database,
  }) => {
    const { team_id, provided_id } = await environment.createGroup({ properties: PROPERTIES });
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    const changed = async (properties: object) =>
      expect((await change(environment, provided_id, { ...PROPERTIES, ...properties })).status).toBe(200);
    await value(page, 1).fill("pro");
    await changed({ seats: 40 });
    await save(page);
    await saved(page);
    expect((await storedOf(database, team_id)).properties).toBe('{"plan":"pro","seats":40,"region":"us"}');

    await value(page, 2).fill("41");
    await changed({ plan: "pro", seats: 42 });
    await save(page);
    await conflictOf(page).getByRole("radio", { name: /^41/ }).check();
    await changed({ plan: "team", seats: 43, region: "eu" });
    await conflictOf(page).getByRole("button", { name: "Save 1 change" }).click();
    await expect(conflictOf(page).getByRole("radio", { name: /^43/ })).toBeVisible();
    expect((await storedOf(database, team_id)).properties).toBe('{"plan":"team","seats":43,"region":"eu"}');
    await conflictOf(page).getByRole("radio", { name: /^41/ }).check();
    await conflictOf(page).getByRole("button", { name: "Save 1 change" }).click();
    await expect(conflictOf(page)).toHaveCount(0);
    expect((await storedOf(database, team_id)).properties).toBe('{"plan":"team","seats":41,"region":"eu"}');
  });
}

test("with forced colours the chosen side of a conflict and the focused cell are outlined", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { team_id, provided_id } = await environment.createGroup({ properties: PROPERTIES });
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const outlineOf = (element: Locator) => element.evaluate((one) => getComputedStyle(one).outlineStyle);
  const cellOf = (row: number) => value(page, row).locator("xpath=ancestor::div[parent::li]");
  await value(page, 2).fill("40");
  expect([await outlineOf(cellOf(2)), await outlineOf(cellOf(1))]).toEqual(["solid", "none"]);
  const body = { user_group_id: provided_id, properties: { seats: 50 } };
  expect((await environment.call("PATCH", "/api/user", { body })).status).toBe(200);
  await save(page);
  const side = (name: RegExp) => conflictOf(page).locator("label").filter({ hasText: name });
  await side(/^40/).click();
  await page.mouse.move(0, 0);
  expect([await outlineOf(side(/^40/)), await outlineOf(side(/^50/))]).toEqual(["solid", "none"]);
  await expect(conflictOf(page)).toContainText("Saves your seats.");
});

test("JSON text merges by property, with its order and numbers as spelled; a rotation is no collision", {
  tag: "@release",
}, async ({ page, environment, database }) => {
  const { team_id, provided_id, token } = await environment.createGroup({ user_group_id: "json", properties: {} });
  const put = (properties: string) =>
    environment.call("PUT", "/api/user", { body: `{"user_group_id":"${provided_id}","properties":${properties}}` });
  await put('{"z":1.10,"big":9007199254740991,"a":{"y":1,"x":[1]},"plan":"free"}');
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = field(page, "Properties");
  await properties.getByRole("radio", { name: "JSON" }).check();
  const editor = properties.getByRole("textbox");
  await expect(editor).toContainText('"big": 9007199254740991');
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
  await typeInto(
    editor,
    '{\n  "first": null,\n  "z": 1.10,\n  "big": 9007199254740991,\n  "a": {"y": 1},\n  "plan": "free"\n}',
  );
  await put('{"z":1.10,"big":9007199254740991,"a":{"y":1,"x":[1]},"plan":"pro","rate":2.50}');
  expect((await environment.call("POST", "/api/user", { body: { current_token: token } })).status).toBe(200);
  await save(page);
  await saved(page);
  expect((await storedOf(database, team_id)).properties).toBe(
    '{"first":null,"z":1.10,"big":9007199254740991,"a":{"y":1},"plan":"pro","rate":2.50}',
  );
});

test("a tab copies the current token after another tab has rotated it", { tag: "@release" }, async ({
  page,
  context,
  environment,
}) => {
  const { team_id, provided_id, token } = await environment.createGroup({ name: "Shared" });
  const path = `/${environment.slug}/groups/${team_id}`;
  await page.goto(path);
  const other = await context.newPage();
  await other.goto(path);
  await other.getByRole("button", { name: "Rotate…" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Rotate token" }).click();
  await expect(other.getByRole("dialog", { name: "The token was rotated" })).toBeVisible();
  const { json } = await environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
  const current: string = json.user_group.token;
  expect(current).not.toBe(token);
  await page.bringToFront();
  await page.getByRole("button", { name: "Copy token" }).click();
  await expect.poll(() => clipboard(page)).toBe(current);
});

test("a save after a deletion in another tab reports it, and keeps the typed changes", { tag: "@release" }, async ({
  page,
  context,
  environment,
}) => {
  const { team_id } = await environment.createGroup({ user_group_id: "shared", name: "Shared" });
  const path = `/${environment.slug}/groups/${team_id}`;
  await page.goto(path);
  await page.getByLabel("Name", { exact: true }).fill("Typed");
  const other = await context.newPage();
  await other.goto(path);
  await other.getByRole("button", { name: "More actions" }).click();
  await other.getByRole("menuitem", { name: "Delete…" }).click();
  await other.getByLabel("Type shared to confirm").fill("shared");
  await other.getByRole("button", { name: "Delete user group" }).click();
  await expect(toasts(other).getByText("“Shared” was deleted")).toBeVisible();

  await page.bringToFront();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Nothing was saved" })).toBeVisible();
  // This tab waits for the first check of the token.
  await page.getByRole("tab", { name: "Embed" }).click();
  const deleted = page.getByRole("alert").filter({ hasText: "This user group was deleted" });
  await expect(deleted.getByRole("link", { name: "Recently deleted" })).toBeVisible();
  await page.getByRole("tab", { name: "Properties and mapping" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Typed");
  await other.getByRole("button", { name: "Undo" }).click();
  await expect(toasts(other).getByText("“Shared” was restored")).toBeVisible();
  await page.getByRole("tab", { name: "Embed" }).click();
  await expect(deleted).toHaveCount(0);
});

test("when two tabs change the same selection, each group changes once, and an undo keeps the other's changes", {
  tag: "@release",
}, async ({ page, context, environment }) => {
  for (const id of ["a", "b"]) await environment.createGroup({ user_group_id: id, properties: { plan: "free" } });
  const other = await context.newPage();
  const change = async (tab: typeof page, property: string, value: string) => {
    await tab.goto(`/${environment.slug}/groups`);
    await tab.getByLabel("Select all on this page").check();
    await tab.getByRole("button", { name: "Property…" }).click();
    const dialog = tab.getByRole("dialog", { name: "Change a property of 2 user groups" });
    await dialog.getByLabel("Property", { exact: true }).fill(property);
    await dialog.getByLabel("Value", { exact: true }).fill(value);
    await dialog.getByRole("button", { name: "Check" }).click();
    await expect(dialog).toContainText("2 will change.");
    return () => dialog.getByRole("button", { name: "Change 2 user groups" }).click();
  };
  const first = await change(page, "plan", "pro");
  const second = await change(other, "region", "eu");
  await first();
  await expect(toasts(page)).toContainText("2 user groups now have plan pro");
  await second();
  await expect(toasts(other)).toContainText("2 user groups now have region eu");
  await toasts(page).getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page)).toContainText("2 user groups were changed back");
  const { json } = await environment.call("GET", "/api/user-groups");
  for (const group of json.user_groups) expect(group.properties).toEqual({ plan: "free", region: "eu" });
});
