import type { Route } from "@playwright/test";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  type TestEnvironment,
  test,
  toasts,
  withholdAnswers,
} from "../fixtures/browser";
import { names } from "../fixtures/list";

/** Groups are checked soon after the definitions have changed. */
const SOON = { timeout: 20_000 };

const dialog = (page: Page, name: string | RegExp) => page.getByRole("dialog", { name });
const open = (page: Page, { slug }: TestEnvironment) => page.goto(`/${slug}/data-model`);
const row = (page: Page, text: string | RegExp) =>
  page.getByRole("main").getByRole("listitem").filter({ hasText: text });
const sections = (page: Page) => page.getByRole("main").getByRole("heading", { level: 2 });

const create = async ({ call }: TestEnvironment, groups: { id: string; properties: Record<string, unknown> }[]) => {
  const user_groups = groups.map(({ id, properties }) => ({ user_group_id: id, name: `Group ${id}`, properties }));
  const { status, text } = await call("POST", "/api/user-groups/batch", { body: { mode: "create", user_groups } });
  expect(status, text).toBe(200);
};
const define = async ({ call }: TestEnvironment, definitions: object) => {
  const { status, text } = await call("PUT", "/api/definitions", { body: { enforcement: "report", ...definitions } });
  expect(status, text).toBe(200);
};
/** Checks the groups, with definitions off. */
const check = (environment: TestEnvironment) => define(environment, { enforcement: "off", creations: "enforce" });
/** The properties of all groups, by id. */
const propertiesOf = async ({ call }: TestEnvironment) => {
  const { json } = await call("GET", "/api/user-groups?limit=500");
  const groups: { provided_id: string; properties: object }[] = json.user_groups;
  return Object.fromEntries(groups.map(({ provided_id, properties }) => [provided_id, properties]));
};

/** Applies the open dry run, and waits for its end. */
async function applyRows(page: Page, count: number) {
  await page.getByRole("button", { name: `Apply ${count} rows…` }).click();
  await dialog(page, /^Apply/)
    .getByRole("button", { name: "Apply" })
    .click();
  await expect(page.getByText("The job is done")).toBeVisible(SOON);
}

test("a missing required property is set in all groups that lack it, and the fix is undone", {
  tag: "@release",
}, async ({ page, environment }) => {
  test.slow();
  const whole = Array.from({ length: 12 }, (_, at) => ({
    id: `whole-${at}`,
    properties: { plan: at % 2 ? "free" : "pro", seats: at },
  }));
  const lacking = Array.from({ length: 3 }, (_, at) => ({ id: `lacking-${at}`, properties: { seats: 5 + at } }));
  await create(environment, [...whole, ...lacking]);
  await check(environment);

  await open(page, environment);
  await expect(page.getByText("Rules are off")).toBeVisible(SOON);
  await expectAccessible(page);
  await page.getByRole("button", { name: "Go to rules" }).click();
  await page.getByRole("button", { name: "Suggest rules…" }).click();
  await page.getByRole("button", { name: "Add to draft" }).click();
  await page.getByRole("region", { name: "Properties" }).getByRole("button", { name: /^plan/ }).click();
  await page.getByRole("checkbox", { name: "Required" }).check();
  await page.getByRole("radio", { name: "Report" }).check();
  await page.getByRole("button", { name: /^Save/ }).first().click();
  await dialog(page, "Save the rules?").getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("The rules were saved")).toBeVisible();

  await page.getByRole("tab", { name: "Problems" }).click();
  await expect(row(page, "plan is missing")).toContainText("20%3 groups", SOON);
  await expect(page.getByRole("tab", { name: "Problems 1" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Pages" })).toContainText("Data model1 problem");
  await expect(sections(page)).toHaveText(["Missing 1"]);
  await expectAccessible(page);
  await row(page, "plan is missing").getByRole("link").click();
  await expect(page.getByRole("list", { name: "Filters" })).toContainText("plan is missing");
  await expect(names(page)).toHaveCount(3);
  expect((await names(page).allTextContents()).toSorted()).toEqual(lacking.map(({ id }) => `Group ${id}`));
  await page.getByRole("button", { name: "Change filter plan is missing" }).click();
  await page.getByRole("button", { name: "is not", exact: true }).click();
  await page.keyboard.press("Escape");
  await page.goBack();

  await page.getByRole("button", { name: "Fix… plan is missing" }).click();
  const fix = dialog(page, "Fix plan");
  await expect(fix).toContainText("plan is missing in 3 of 15 groups.");
  await fix.getByRole("button", { name: "Check 3 groups" }).click();
  await expect(fix.getByText("Choose a value.")).toBeVisible();
  await expectAccessible(page);
  await fix.getByRole("button", { name: /^Value/ }).click();
  await expect(page.getByRole("menuitemradio")).toHaveText(["free · 40%", "pro · 40%"]);
  await page.getByRole("menuitemradio", { name: "pro" }).click();
  const held = new Promise<Route>((resolve) => page.route("**/api/definitions/fixes", resolve, { times: 1 }));
  await fix.getByRole("button", { name: "Check 3 groups" }).click();
  const checking = await held;
  await expect(fix).toContainText("Still waiting for the service");
  await fix.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("tab", { name: "Rules" }).click();
  await page.getByRole("radio", { name: "Off" }).check();
  await checking.continue();
  await expect(toasts(page).getByText("The groups were checked")).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("tab", { name: "Problems" }).click();
  await page.getByRole("button", { name: "Fix… plan is missing" }).click();
  await fix.getByRole("button", { name: /^Value/ }).click();
  await page.getByRole("menuitemradio", { name: "pro" }).click();
  await fix.getByRole("button", { name: "Check 3 groups" }).click();
  await expect(page.getByText("Nothing has been changed yet")).toBeVisible(SOON);
  await expect(page.getByRole("region", { name: "Rows" }).getByRole("listitem")).toHaveCount(3);
  await expect(page.getByRole("region", { name: "Rows" })).toContainText("plan pro");
  expect(await propertiesOf(environment)).toMatchObject({ "lacking-0": { seats: 5 } });
  await applyRows(page, 3);
  const { pathname: fixed } = new URL(page.url());
  const plans = await propertiesOf(environment);
  for (const { id, properties } of lacking) expect(plans[id]).toEqual({ ...properties, plan: "pro" });
  for (const { id, properties } of whole) expect(plans[id]).toEqual(properties);

  await open(page, environment);
  await expect(page.getByRole("heading", { name: "No problems" })).toBeVisible(SOON);
  await expectAccessible(page);

  await page.goto(fixed);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page).not.toHaveURL(fixed);
  await expect(page.getByText("Nothing has been changed yet")).toBeVisible(SOON);
  await applyRows(page, 3);
  expect(await propertiesOf(environment)).toEqual(
    Object.fromEntries([...whole, ...lacking].map(({ id, properties }) => [id, properties])),
  );
  await open(page, environment);
  await expect(row(page, "plan is missing")).toContainText("3 groups", SOON);
});

test("a misspelled property is renamed, but never over an existing one", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  test.slow();
  const spelled = Array.from({ length: 30 }, (_, at) => ({ id: `spelled-${at}`, properties: { region: "eu" } }));
  await create(environment, [
    ...spelled,
    { id: "misspelled-1", properties: { plan: "pro", regoin: "us" } },
    { id: "misspelled-2", properties: { regoin: "eu", plan: "pro" } },
    { id: "both", properties: { region: "eu", regoin: "us" } },
  ]);
  await environment.createGroup({ name: "Group both" });
  await check(environment);
  await open(page, environment);
  await expect(row(page, "regoin looks like region")).toContainText("3 groups", SOON);
  await expect(sections(page)).toHaveText(["Not defined or misspelled 1", "Worth a look 1"]);
  // The second section says that nothing is wrong.
  await expect(page.getByRole("tab", { name: "Problems 1" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Pages" })).toContainText("Data model1 problem");
  await expect(page.getByText("Rules are off")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Fix… regoin looks like region" }).click();
  const fix = dialog(page, "Fix regoin");
  const name = fix.getByLabel("New name");
  await expect(name).toBeFocused();
  await expect(name).toHaveValue("region");
  await name.fill("regoin");
  await fix.getByRole("button", { name: "Check 3 groups" }).click();
  await expect(name).toHaveAccessibleDescription(/already/);
  await expectAccessible(page);
  await name.fill("region");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Nothing has been changed yet")).toBeVisible(SOON);
  await expect(page.getByRole("radio", { name: "Error 1" })).toBeVisible();
  await applyRows(page, 2);
  expect(await propertiesOf(environment)).toMatchObject({
    "misspelled-1": { plan: "pro", region: "us" },
    "misspelled-2": { region: "eu", plan: "pro" },
    both: { region: "eu", regoin: "us" },
  });
  await open(page, environment);
  await expect(row(page, "regoin looks like region")).toContainText("1 group", SOON);
  await page.getByRole("button", { name: "Fix… regoin looks like region" }).click();
  await fix.getByRole("radio", { name: "Remove" }).check({ force: true });
  await fix.getByRole("button", { name: "Check 1 group" }).click();
  await expect(page.getByText("Nothing has been changed yet")).toBeVisible(SOON);
  await page.getByRole("button", { name: "Apply 1 row…" }).click();
  await dialog(page, /^Apply/)
    .getByRole("button", { name: "Apply" })
    .click();
  await expect(page.getByText("The job is done")).toBeVisible(SOON);
  await open(page, environment);
  await expect(page.getByText("Rules are off")).toBeVisible(SOON);
});

test("a value is checked against its definition before sending, and suggested from existing values", {
  tag: "@release",
}, async ({ page, environment }) => {
  await create(environment, [
    { id: "a", properties: { seats: 10, contract: "C-1" } },
    { id: "b", properties: { seats: "many" } },
  ]);
  await define(environment, {
    properties: {
      seats: { type: "integer", description: "How many people may sign in." },
      contract: { type: "string", required: true },
    },
    schemas: { 40: { name: "Orders", required: true } },
    data_sources: { 213: { name: "Orders EU", schemas: ["40"] }, 386: { schemas: [] } },
  });
  await open(page, environment);
  await expect(row(page, "Orders schema 40 is missing")).toBeVisible(SOON);
  await expect(row(page, "seats must be a whole number")).toContainText("50%1 group", SOON);
  await page.getByRole("button", { name: /^Fix… seats/ }).click();
  const seats = dialog(page, "Fix seats").getByLabel("Value", { exact: true });
  await expect(seats).toHaveAccessibleDescription("How many people may sign in.");
  await seats.fill("ten");
  await page.keyboard.press("Enter");
  await expect(seats).toHaveAccessibleDescription(/Must be a whole number/);
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: /^Fix… seats/ })).toBeFocused();

  await page.getByRole("button", { name: /^Fix… contract/ }).click();
  await expect(dialog(page, "Fix contract").locator("datalist option")).toHaveAttribute("value", "C-1");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Fix… Orders schema 40 is missing" }).click();
  const schema = dialog(page, "Fix schema 40");
  await schema.getByRole("button", { name: /^Data source/ }).click();
  await expect(page.getByRole("menuitemradio")).toHaveText(["Orders EU · 213", "386"]);
  await page.getByRole("menuitemradio", { name: "Orders EU · 213" }).click();
  await schema.getByRole("button", { name: "Check 2 groups" }).click();
  await expect(page.getByText("Nothing has been changed yet")).toBeVisible(SOON);
  await applyRows(page, 2);
  const { json } = await environment.call("GET", "/api/user-groups");
  expect(json.user_groups.map(({ mapping }: { mapping: object }) => mapping)).toEqual([{ 40: "213" }, { 40: "213" }]);
});

test("many problems with hostile names fit every screen, and a long section folds next to others", {
  tag: "@release",
}, async ({ page, environment }) => {
  const named = [
    '<img src="x" onerror="alert(1)">',
    "",
    "a.b:is:1",
    "مخطط الأسعار",
    "x".repeat(255),
    "long word ".repeat(20).trim(),
    "first",
    "second",
    "third",
    "fourth",
  ];
  await create(
    environment,
    named.map((name, at) => ({ id: `g-${at}`, properties: { [name]: at } })),
  );
  await define(environment, { unknown_properties: "refuse" });
  await open(page, environment);
  // One finding per name, and one for all.
  await expect(sections(page)).toHaveText(["Not defined or misspelled 11"], SOON);
  await expect(row(page, "Properties that are not defined")).toContainText("100%10 groups");
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(11);
  for (const width of [320, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScrolling(page);
  }
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole("button", { name: /^Fix… x{100}/ }).click();
  await expect(dialog(page, /^Fix x/)).toBeVisible();
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
  for (const name of ["<img", "a.b:is:1", '""']) {
    await open(page, environment);
    await row(page, name).getByRole("link").click();
    await expect(names(page)).toHaveCount(1);
  }
  await define(environment, {
    unknown_properties: "refuse",
    properties: { plan: { type: "string", required: true } },
  });
  await open(page, environment);
  await expect(row(page, "plan is missing")).toBeVisible(SOON);
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(1);
  await expectAccessible(page);
  await page.getByRole("heading", { name: "Not defined or misspelled 11" }).click();
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(12);
});

test("a failed load is reported and can be retried", { tag: "@release" }, async ({ page, environment }) => {
  const path = "**/api/definitions/findings";
  await create(environment, [{ id: "a", properties: {} }]);
  await define(environment, { properties: { plan: { type: "string", required: true } } });
  await withholdAnswers(page);
  await page.route(path, (route) => route.fulfill({ status: 500, json: { success: 0 } }));
  await open(page, environment);
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The problems could not be loaded");
  await expectAccessible(page);
  await page.unroute(path);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(row(page, "plan is missing")).toBeVisible(SOON);
  await page.route(path, (route) => route.fulfill({ status: 500, json: { success: 0 } }));
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The problems could not be refreshed", SOON);
  await expect(row(page, "plan is missing")).toBeVisible();
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("sees the problems without any fixes", { tag: "@release" }, async ({ page, environment }) => {
    await create(environment, [{ id: "a", properties: {} }]);
    await define(environment, { properties: { plan: { type: "string", required: true } } });
    await open(page, environment);
    await expect(row(page, "plan is missing")).toContainText("100%1 group", SOON);
    await expect(page.getByRole("button", { name: /^Fix/ })).toHaveCount(0);
    await expectAccessible(page);
  });
});
