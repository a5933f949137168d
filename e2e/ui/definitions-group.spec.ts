import type { TestEnvironment } from "../fixtures/browser";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  test,
  toasts,
  typeInto,
} from "../fixtures/browser";

const sheet = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const missing = (page: Page, field: string, name: string) =>
  sheet(page, field).getByRole("list", { name: "Not set" }).getByRole("listitem").filter({ hasText: name });
const save = (page: Page) =>
  page.getByRole("region", { name: "Unsaved changes" }).getByRole("button", { name: "Save" }).click();

const DEFINITIONS = {
  properties: {
    plan: { type: "string", required: true, enum: ["free", "pro"], description: "What they pay for" },
    seats: { type: "integer", default: 5 },
    ends: { type: "date" },
  },
  unknown_properties: "refuse",
  schemas: { 40: { name: "Orders", required: true }, 134: { name: "Traffic" } },
  data_sources: {
    213: { name: "Orders EU", schemas: ["40"] },
    214: { name: "Orders US", schemas: ["40"] },
    386: { name: "Visits", schemas: ["134"] },
  },
  enforcement: "enforce",
};

const define = async ({ call }: TestEnvironment, body: object = DEFINITIONS) => {
  const { status, text } = await call("PUT", "/api/definitions", { body });
  expect(status, text).toBe(200);
};
const storedOf = async ({ call }: TestEnvironment, id: string) => {
  const { json } = await call("GET", `/api/user-groups?user_group_id=${encodeURIComponent(id)}`);
  const [{ mapping, properties }] = json.user_groups;
  return { mapping, properties };
};

test("a missing member is picked by name, and a value to be refused shows the reason at its field", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { team_id, provided_id } = await environment.createGroup({
    name: "Acme",
    properties: { ends: "soon", plam: "x" },
    mapping: { 134: "213" },
  });
  await define(environment);
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  await expect(properties.getByLabel("Value, row 1")).toHaveAccessibleDescription("Must be a date, as in 2026-11-30.");
  await expect(properties.getByLabel("Name, row 2")).toHaveAccessibleDescription(
    "Is not a defined property (did you mean plan?).",
  );
  await expect(missing(page, "Properties", "plan")).toContainText(/plan.*Required.*What they pay for/);
  await expect(missing(page, "Properties", "seats")).toContainText(/5.*default/);
  await expect(missing(page, "Mapping", "40")).toContainText(/Orders.*Required/);
  await expectAccessible(page);

  await missing(page, "Properties", "plan").getByRole("button").click();
  await page.getByRole("menuitemradio", { name: "pro", exact: true }).click();
  await missing(page, "Properties", "seats").getByRole("button", { name: "Set seats" }).click();
  await expect(properties.getByLabel("Value, row 4")).toBeFocused();
  await expect(properties.getByLabel("Value, row 4")).toHaveValue("5");
  await missing(page, "Mapping", "40").getByRole("button").click();
  await expect(page.getByRole("menuitemradio", { name: /Visits/ })).toHaveCount(0);
  await page.getByRole("menuitemradio", { name: "Orders US · 214" }).click();
  await expect(missing(page, "Mapping", "40")).toHaveCount(0);

  await properties.getByLabel("Value, row 1").fill("later");
  await save(page);
  await expect(properties.getByLabel("Value, row 1")).toBeFocused();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText(
    "1 problem: ends must be a date, as in 2026-11-30",
  );
  expect(await storedOf(environment, provided_id)).toEqual({
    mapping: { 134: "213" },
    properties: { ends: "soon", plam: "x" },
  });
  await properties.getByLabel("Value, row 1").fill("2026-11-30");
  await properties.getByRole("button", { name: "Remove row 2" }).click();
  await sheet(page, "Mapping")
    .getByRole("button", { name: /^Data source, row 1/ })
    .click();
  await page.getByRole("menuitemradio", { name: "Visits · 386" }).click();
  await save(page);
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  expect(await storedOf(environment, provided_id)).toEqual({
    mapping: { 134: "386", 40: "214" },
    properties: { ends: "2026-11-30", plan: "pro", seats: 5 },
  });

  await properties.getByText("JSON", { exact: true }).click();
  await typeInto(properties.getByRole("textbox"), '{\n"plan":"gold"}');
  await expect(properties.getByRole("button", { name: "Line 2: plan must be one of free, pro." })).toBeVisible();
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
});

test("an existing problem does not block a save; a new one is named, and its row gets the focus", {
  tag: "@release",
}, async ({ page, environment }) => {
  const was = { ends: "soon", plam: "x", plan: "pro" };
  const { team_id, provided_id } = await environment.createGroup({ name: "Acme", properties: was });
  await define(environment);
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  const ends = properties.getByLabel("Value, row 1");
  await expect(ends).toHaveAccessibleDescription("Must be a date, as in 2026-11-30.");
  await expect(ends).toHaveAttribute("aria-invalid", "false");
  await missing(page, "Properties", "seats").getByRole("button", { name: "Set seats" }).click();
  await page.keyboard.type("20");
  await save(page);
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  expect(await storedOf(environment, provided_id)).toEqual({ mapping: {}, properties: { ...was, seats: 20 } });

  await properties.getByRole("button", { name: "Remove row 3" }).click();
  await ends.fill("later");
  await expect(ends).toHaveAttribute("aria-invalid", "true");
  await ends.fill("soon");
  await save(page);
  await expect(page.getByRole("button", { name: "plan is required", exact: true })).toBeVisible();
  await expect(missing(page, "Properties", "plan").getByRole("button")).toBeFocused();
  await expectAccessible(page);
  expect(await storedOf(environment, provided_id)).toEqual({ mapping: {}, properties: { ...was, seats: 20 } });
});

test("disabled definitions leave the form unchanged", async ({ page, environment }) => {
  const { team_id } = await environment.createGroup({ properties: { ends: "soon" } });
  await define(environment, { ...DEFINITIONS, enforcement: "off" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await expect(sheet(page, "Properties").getByLabel("Value, row 1")).toHaveValue("soon");
  await expect(page.getByRole("list", { name: "Not set" })).toHaveCount(0);
  await expect(page.getByRole("switch", { name: "With defaults" })).toHaveCount(0);
});

test("a new group starts with the members that definitions require", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await define(environment, { ...DEFINITIONS, creations: "enforce" });
  await page.goto(`/${environment.slug}/groups/new`);
  await page.getByLabel("Id", { exact: true }).fill("new-1");
  await page.getByLabel("Name", { exact: true }).fill("New");
  await page.getByRole("button", { name: "Create user group" }).click();
  await expect(sheet(page, "Properties").getByText("plan is required", { exact: true })).toBeVisible();
  await missing(page, "Properties", "plan").getByRole("button").click();
  await page.getByRole("menuitemradio", { name: "free", exact: true }).click();
  await missing(page, "Mapping", "40").getByRole("button").click();
  await page.getByRole("menuitemradio", { name: "Orders EU · 213" }).click();
  await page.getByRole("button", { name: "Create user group" }).click();
  await expect(page.getByRole("heading", { name: "New", level: 1, exact: true })).toBeVisible();
  expect(await storedOf(environment, "new-1")).toEqual({ mapping: { 40: "213" }, properties: { plan: "free" } });
});

test("a switch shows a group's values with or without the defaults, and problems stay", async ({
  page,
  environment,
}) => {
  const { team_id } = await environment.createGroup({ properties: { plan: "gold", rate: 1.5 }, mapping: { 7: "213" } });
  const properties = { ...DEFINITIONS.properties, region: { type: "string", required: true } };
  await define(environment, { ...DEFINITIONS, properties, enforcement: "report" });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const absent = sheet(page, "Properties").getByRole("list", { name: "Not set" }).getByRole("listitem");
  await expect(absent).toHaveText([/region.*Required/, /seats.*5.*default/, /ends.*Not set/]);
  await expect(sheet(page, "Properties").getByLabel("Name, row 2")).toHaveAccessibleDescription(
    "Is not a defined property.",
  );
  await expect(sheet(page, "Mapping").getByText("Unknown schema 7", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await sheet(page, "Properties").getByRole("button", { name: "1 missing" }).click();
  await expect(absent.first().getByRole("button")).toBeFocused();
  await page.getByRole("switch", { name: "With defaults" }).uncheck();
  await expect(absent).toHaveText([/region.*Required/]);
  await expectAccessible(page);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });
  test("sees a group's problems", async ({ page, environment }) => {
    const { team_id } = await environment.createGroup({ name: "Acme", properties: { ends: "soon" } });
    await define(environment);
    await page.goto(`/${environment.slug}/groups/${team_id}`);
    await expect(sheet(page, "Properties").getByText("Must be a date, as in 2026-11-30.")).toBeVisible();
    await expect(missing(page, "Properties", "plan").getByRole("button")).toHaveCount(0);
  });
});
