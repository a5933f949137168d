import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectNoSidewaysScrolling, test, toasts } from "../fixtures/browser";
import { createMember } from "../fixtures/member";

test.use({ viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true });

const PROPERTIES = { plan: "free", seats: 25, beta: true };
const field = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const row = (page: Page, name: string) => field(page, "Properties").getByRole("button", { name });
const sheet = (page: Page) => page.getByRole("dialog");
const press = (page: Page, name: string) => sheet(page).getByRole("button", { name, exact: true }).tap();

test("on a phone a row opens a sheet that renames, retypes, restores and removes it", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const { team_id } = await environment.createGroup({ name: "Acme", mapping: { 40: "213" }, properties: PROPERTIES });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await row(page, "seats: 25").tap();
  await expect(sheet(page)).toHaveAccessibleName("seats");
  await expect(sheet(page).getByLabel("Value")).toBeFocused();
  await expect(sheet(page)).toBeInViewport({ ratio: 1 });
  const box = await sheet(page).boundingBox();
  expect([box?.x, box?.width, (box?.y ?? 0) + (box?.height ?? 0)]).toEqual([0, 320, 640]);
  await sheet(page).getByLabel("Value").fill("25 people");
  await expect(sheet(page).getByLabel("Value")).toHaveAccessibleDescription(/^Not a number/);
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
  await sheet(page).getByRole("button", { name: "Type: number" }).tap();
  await page.getByRole("menuitemradio", { name: "text" }).tap();
  await sheet(page).getByLabel("Name").fill("places");
  await press(page, "Done");
  await expect(row(page, "places: 25 people")).toBeFocused();

  await row(page, "plan: free").tap();
  await sheet(page).getByLabel("Value").fill("pro");
  await press(page, "Restore");
  await expect(sheet(page).getByLabel("Value")).toHaveValue("free");
  await press(page, "Remove row");
  await expect(row(page, "plan: free")).toHaveCount(0);
  await expect(row(page, "places: 25 people")).toBeFocused();

  await row(page, "beta: true").tap();
  await sheet(page).getByRole("button", { name: "Value true" }).tap();
  await page.getByRole("menuitemradio", { name: "false" }).tap();
  await press(page, "Close");
  await field(page, "Mapping").getByRole("button", { name: "40: 213" }).tap();
  await sheet(page).getByLabel("Data source").fill("214");
  await page.keyboard.press("Enter");
  await expect(sheet(page)).toHaveCount(0);
  await page.getByRole("region", { name: "Unsaved changes" }).getByRole("button", { name: "Save" }).tap();
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  const [stored] = await database.query("SELECT mapping, properties FROM user_group WHERE team_id = $1", [team_id]);
  expect(stored).toEqual({ mapping: '{"40":"214"}', properties: '{"places":"25 people","beta":false}' });
});

test("what others save while a sheet is open does not move its row, and shows once it closes", {
  tag: "@release",
}, async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Acme", properties: PROPERTIES });
  await page.clock.install();
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await row(page, "seats: 25").tap();
  await expect(sheet(page).getByLabel("Value")).toBeFocused();
  const body = { user_group_id: group.provided_id, name: "Beta", properties: { seats: 26 } };
  expect((await environment.call("PUT", "/api/user", { body })).status).toBe(200);
  // Until the cached group is stale.
  await page.clock.fastForward(5_100);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await expect(page.locator("h1")).toHaveText("Beta");
  await expect(sheet(page)).toHaveAccessibleName("seats");
  await expect(sheet(page).getByLabel("Value")).toHaveValue("25");
  await press(page, "Done");
  await expect(row(page, "seats: 26")).toBeVisible();
});

test("Cancel takes back what was typed in the sheet, and nothing else does", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: PROPERTIES });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const bar = page.getByRole("region", { name: "Unsaved changes" });
  await row(page, "plan: free").tap();
  await sheet(page).getByLabel("Name").fill("tariff");
  await sheet(page).getByLabel("Value").fill("pro");
  await press(page, "Cancel");
  await expect(row(page, "plan: free")).toBeFocused();
  await expect(bar).toHaveCount(0);

  const add = field(page, "Properties").getByRole("button", { name: "Add row" });
  await add.tap();
  await expect(sheet(page).getByLabel("Name")).toBeFocused();
  await page.keyboard.type("rate");
  await page.keyboard.press("Enter");
  await expect(sheet(page).getByLabel("Value")).toBeFocused();
  await page.keyboard.type("1.50");
  await expect(sheet(page).getByText("Quotes make it text")).toBeVisible();
  await press(page, "Cancel");
  await expect(row(page, "rate: 1.50")).toHaveCount(0);
  await expect(add).toBeFocused();

  for (const close of [() => page.keyboard.press("Escape"), () => page.touchscreen.tap(160, 20)]) {
    await row(page, "seats: ").tap();
    await sheet(page).getByLabel("Value").fill("30");
    await close();
    await expect(sheet(page)).toHaveCount(0);
    await expect(row(page, "seats: 30")).toBeVisible();
    await expect(bar).toContainText("1 unsaved change");
    await bar.getByRole("button", { name: "Discard" }).tap();
  }

  const none = await environment.createGroup({ name: "None", properties: null });
  await page.goto(`/${environment.slug}/groups/${none.team_id}`);
  for (const name of ["", "rate"]) {
    await add.tap();
    await page.keyboard.type(name);
    await press(page, "Cancel");
    await expect(add).toBeFocused();
    await expect(bar).toHaveCount(0);
  }
});

test("the sheet keeps clear of the on-screen keyboard, whether the page shrinks for it or not", async ({
  page,
  environment,
}) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: PROPERTIES });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await row(page, "seats: 25").tap();
  const done = sheet(page).getByRole("button", { name: "Done" });
  const value = sheet(page).getByLabel("Value");
  await expect(value).toBeFocused();
  await page.setViewportSize({ width: 320, height: 330 });
  await expect(done).toBeInViewport({ ratio: 1 });
  await expect(value).toBeInViewport({ ratio: 1 });
  await page.setViewportSize({ width: 320, height: 640 });
  // As in Safari.
  await page.evaluate(() => {
    Object.defineProperty(window.visualViewport, "height", { value: 330 });
    window.visualViewport?.dispatchEvent(new Event("resize"));
  });
  for (const one of [done, value]) {
    await expect.poll(async () => ((await one.boundingBox())?.y ?? 640) < 330 - 24).toBe(true);
  }
});

test("a wrong row leads to its sheet, a required one is set in it, and a reader has none", { tag: "@release" }, async ({
  page,
  environment,
  database,
  openAs,
}) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: PROPERTIES });
  const definitions = {
    properties: { seats: { type: "integer" }, contact: { type: "string", required: true } },
    enforcement: "enforce",
  };
  const path = `/${environment.slug}/groups/${team_id}`;
  expect((await environment.call("PUT", "/api/definitions", { body: definitions })).status).toBe(200);
  await page.goto(path);
  await row(page, "seats: 25").tap();
  await sheet(page).getByLabel("Value").fill("many");
  await press(page, "Done");
  await page
    .getByRole("region", { name: "Unsaved changes" })
    .getByRole("button", { name: "seats is not a number" })
    .tap();
  await expect(row(page, "seats: many. Not a number")).toBeFocused();
  await expectAccessible(page);
  await row(page, "seats: many").tap();
  await press(page, "Restore");
  await press(page, "Done");
  await row(page, "Set contact").tap();
  await expect(sheet(page)).toHaveAccessibleName("contact");
  await expect(sheet(page).getByLabel("Value")).toBeFocused();
  await page.keyboard.type("Sam");
  await press(page, "Done");
  await expect(row(page, "contact: Sam")).toBeFocused();

  const reader = await openAs(await createMember(database, "viewer"));
  await reader.setViewportSize({ width: 320, height: 640 });
  await reader.goto(path);
  await expect(field(reader, "Properties").getByLabel("Value, row 2")).toHaveValue("25");
  await expect(field(reader, "Properties").getByRole("button")).toHaveCount(0);
});
