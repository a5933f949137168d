import {
  dialog,
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  type TestEnvironment,
  test,
  toasts,
} from "../fixtures/browser";

const property = (page: Page, name: string | RegExp) =>
  page.getByRole("region", { name: "Properties" }).getByRole("listitem").filter({ hasText: name });
const save = (page: Page) => page.getByRole("button", { name: /^Save/ }).first().click();
const open = (page: Page, { slug }: TestEnvironment) => page.goto(`/${slug}/data-model?tab=rules`);

const definitionsOf = async ({ call }: TestEnvironment) => {
  const { json } = await call("GET", "/api/definitions");
  return json as { version: number; definitions: Record<string, Record<string, unknown>> };
};
const define = async ({ call }: TestEnvironment, body: object) => {
  const { status, text } = await call("PUT", "/api/definitions", { body });
  expect(status, text).toBe(200);
};

test("rules are built row by row, errors show at their field, and a diff precedes the save", {
  tag: "@release",
}, async ({ page, environment }) => {
  await open(page, environment);
  await expect(page.getByText("No properties are defined.")).toBeVisible();
  await expectAccessible(page);

  await page.getByRole("button", { name: "Add property" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  await save(page);
  await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription("Enter a name.");
  await page.getByLabel("Name", { exact: true }).fill("plan");
  await page.getByLabel("Allowed values").fill("free\npro\nfree");
  await page.getByLabel("Default").fill("gold");
  await page.getByRole("checkbox", { name: "Required" }).check();
  await save(page);
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByLabel("Allowed values")).toHaveAccessibleDescription(/Line 3 is already in the list/);
  await expect(page.getByLabel("Default")).toHaveAccessibleDescription(/Must be one of free, pro/);
  await expect(page.getByLabel("Default")).toBeFocused();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText("2 problems: plan: ");
  await expectAccessible(page);
  await page.getByLabel("Allowed values").fill("free\npro");
  await page.getByLabel("Default").fill("free");
  await expect(page.getByLabel("Default")).not.toHaveAttribute("aria-invalid");

  await page.getByRole("button", { name: "Add property" }).click();
  await page.getByLabel("Name", { exact: true }).last().fill("seats");
  await property(page, "seats").getByRole("button", { name: /^Type/ }).click();
  await page.getByRole("menuitemradio", { name: "integer", exact: true }).click();
  await page.getByLabel("Default").last().fill("many");
  await page.getByRole("button", { name: "Add schema" }).click();
  await page.getByLabel("Schema id, row 1").fill("40");
  await page.getByLabel("Name, row 1").fill("Orders");
  await page.getByRole("button", { name: "Add data source" }).click();
  await page.getByLabel("Data source id, row 1").fill("213");
  await page.getByLabel("Only for schemas, row 1").fill("40, 41");
  await page.getByRole("radio", { name: "Enforce" }).check();
  await page.getByRole("radio", { name: "Refuse it" }).check();
  await save(page);
  await expect(page.getByLabel("Default").last()).toHaveAccessibleDescription(/Must be a whole number/);
  await expect(page.getByLabel("Only for schemas, row 1")).toHaveAccessibleDescription("Is not in schemas.");
  await expectAccessible(page);
  await page.getByLabel("Default").last().fill("5");
  await page.getByLabel("Only for schemas, row 1").fill("40");
  await save(page);

  await expect(dialog(page)).toContainText("Changes that add a problem will be refused");
  const changes = dialog(page).getByRole("region", { name: "Your changes" });
  await expect(changes.getByRole("list", { name: "Properties" }).getByRole("listitem")).toContainText([
    /plan.*type string · required · default free · enum \["free","pro"\]/,
    /seats.*type integer · default 5/,
  ]);
  await expect(changes.getByRole("list", { name: "Settings" })).toContainText(/enforcement.*off.*enforce/);
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  expect((await definitionsOf(environment)).version).toBe(0);
  await page.keyboard.press("ControlOrMeta+s");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("The rules were saved")).toBeVisible();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
  const { version, definitions } = await definitionsOf(environment);
  expect(version).toBe(1);
  expect(definitions).toMatchObject({
    properties: { plan: { required: true, default: "free", enum: ["free", "pro"] }, seats: { default: 5 } },
    schemas: { 40: { name: "Orders" } },
    data_sources: { 213: { schemas: ["40"] } },
    enforcement: "enforce",
    creations: "enforce",
  });

  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScrolling(page);
  await page.goto(`/${environment.slug}/activity`);
  await page.getByRole("button", { name: /changed the rules/ }).click();
  await expect(page.getByRole("list", { name: "Data sources" })).toContainText(/213.*schemas \["40"\]/);
});

test("oversized rules show an error in the table, and a description may have two lines", {
  tag: "@release",
}, async ({ page, environment }) => {
  const one = { type: "string", description: "x".repeat(1_000) };
  const some = Array.from({ length: 229 }, (_, n) => [`property ${n}`, one]);
  await define(environment, { properties: Object.fromEntries([...some, ["last", { type: "string" }]]) });
  await open(page, environment);
  await property(page, "last").getByRole("button").click();
  await page.getByLabel("Default").fill("y".repeat(2_000));
  await page.getByLabel("Description").fill("One.\nTwo.");
  await save(page);
  await expect(page.getByRole("form", { name: "Rules" }).getByRole("alert")).toContainText(
    "The rules must have at most 256 KiB with all members written out.",
  );
  await page.getByLabel("Default").fill("");
  await save(page);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("The rules were saved")).toBeVisible();
  const { definitions } = await definitionsOf(environment);
  expect(definitions.properties?.last).toMatchObject({ description: "One.\nTwo." });
});

test("a row that is added to more than are shown stays in sight while its id is typed", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const ids = Array.from({ length: 150 }, (_, n) => [`schema-${n}`, { required: false }]);
  await define(environment, { schemas: Object.fromEntries(ids) });
  await open(page, environment);
  await expect(page.getByRole("button", { name: "Show 50 more of 50 hidden rows" })).toBeVisible();
  await page.getByRole("button", { name: "Add schema" }).click();
  await page.keyboard.type("new");
  await expect(page.getByLabel("Schema id, row 101")).toHaveValue("new");
  await expect(page.getByLabel("Schema id, row 101")).toBeFocused();
  await page.getByLabel("Schema id, row 101").fill("schema-120");
  await save(page);
  await expect(page.getByLabel("Schema id, row 101")).toHaveAccessibleDescription(/Is used more than once/);
  await page.getByLabel("Schema id, row 101").press("End");
  await page.keyboard.type("xyz");
  await expect(page.getByLabel("Schema id, row 101")).toHaveValue("schema-120xyz");
  await expect(page.getByLabel("Schema id, row 101")).toBeFocused();
  await page.getByRole("button", { name: "Remove row 101" }).click();
  await expect(page.getByRole("button", { name: "Add schema" })).toBeFocused();
});

test("a rule stays open while its problem is mended, and deleting one opens no other", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const properties = Object.fromEntries(["a", "b", "c"].map((name) => [name, { type: "string" }]));
  await define(environment, { properties });
  await open(page, environment);
  const head = (name: string) => page.getByRole("button", { name: new RegExp(`^${name}\\s*string`) });
  await page.getByRole("button", { name: "Add property" }).click();
  const name = page.getByLabel("Name", { exact: true });
  await name.fill("a");
  await save(page);
  await expect(name).toHaveCount(2);
  await name.first().press("End");
  await page.keyboard.type("xyz");
  await expect(name.first()).toHaveValue("axyz");
  await expect(name.first()).toBeFocused();

  await head("b").click();
  await page.getByRole("button", { name: "Remove b" }).click();
  await expect(page.getByRole("button", { name: "Add property" })).toBeFocused();
  await save(page);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("The rules were saved")).toBeVisible();
  await expect(head("c")).toHaveAttribute("aria-expanded", "false");
  await expect(head("axyz")).toHaveAttribute("aria-expanded", "true");
});

test("a concurrent change by someone else is shown, and overwritten only on request", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await define(environment, { properties: { plan: { type: "string" } } });
  await open(page, environment);
  await property(page, "plan").getByRole("button").click();
  await page.getByLabel("Description").fill("mine");
  await define(environment, { properties: { plan: { type: "string" }, theirs: { type: "date" } } });
  await save(page);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page).getByRole("alert")).toContainText("changed the rules while you were editing");
  await expect(dialog(page).getByRole("region", { name: "Their changes" })).toContainText("theirs");
  await expectAccessible(page);
  await dialog(page).getByRole("button", { name: "Reload" }).click();
  await expect(property(page, "theirs")).toBeVisible();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);

  await page.getByLabel("Description").fill("mine");
  await define(environment, { properties: {} });
  await save(page);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).getByRole("button", { name: "Overwrite" }).click();
  await expect(toasts(page).getByText("The rules were saved")).toBeVisible();
  const { definitions } = await definitionsOf(environment);
  expect(definitions.properties).toMatchObject({ plan: { description: "mine" }, theirs: { type: "date" } });
});

test("what is typed while a closed dialog still saves stays unsaved, and its review open", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await define(environment, { properties: { plan: { type: "string" } } });
  await open(page, environment);
  await property(page, "plan").getByRole("button").click();
  const description = page.getByLabel("Description");
  await description.fill("mine");
  await save(page);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/definitions", async (route) => {
    if (route.request().method() === "PUT") await released;
    await route.continue();
  });
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toContainText("Still waiting for the service");
  await dialog(page).getByRole("button", { name: "Close" }).last().click();
  await description.fill("mine and more");
  await save(page);
  release();
  await expect(toasts(page).getByText("The rules were saved")).toBeVisible();
  await expect(description).toHaveValue("mine and more");
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
  const { definitions } = await definitionsOf(environment);
  expect(definitions.properties).toMatchObject({ plan: { description: "mine and more" } });
});

test("rules are suggested from the groups, reviewed and then saved", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await open(page, environment);
  const suggest = page.getByRole("button", { name: "Suggest rules…" });
  await suggest.click();
  await expect(toasts(page).getByText("There are no groups to suggest rules from")).toBeVisible();
  for (let n = 0; n < 10; n++) {
    const properties = { plan: n % 2 ? "pro" : "free", seats: n };
    const body = { user_group_id: `group ${n}`, mapping: { 40: "213" }, properties };
    expect((await environment.call("GET", "/api/user", { body })).status).toBe(200);
  }
  await suggest.click();
  await expect(dialog(page)).toContainText("Read from 10 user groups.");
  await expect(dialog(page).getByText(/string · required · one of free, pro/)).toBeVisible();
  await expectAccessible(page);
  const take = (name: string | RegExp) => dialog(page).getByRole("checkbox", { name });
  await expect(take(/^plan/)).toBeChecked();
  await expect(take(/^All schemas/)).not.toBeChecked();
  await take(/^seats/).uncheck();
  await dialog(page).getByRole("button", { name: "Add to draft" }).click();
  await expect(property(page, "plan")).toContainText(/required.*string.*free, pro/);
  await expect(property(page, "seats")).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText("1 unsaved change: plan");
  expect((await definitionsOf(environment)).version).toBe(0);

  await suggest.click();
  await expect(take(/^plan/)).toHaveCount(0);
  await expect(take(/^seats/)).toBeChecked();
  await take(/^All schemas/).check();
  await take(/^All data sources/).check();
  await dialog(page).getByRole("button", { name: "Add to draft" }).click();
  await expect(property(page, "seats")).toContainText("integer");
  await save(page);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("The rules were saved")).toBeVisible();
  const { definitions } = await definitionsOf(environment);
  expect(definitions).toMatchObject({
    properties: { plan: { required: true, enum: ["free", "pro"] }, seats: { type: "integer" } },
    schemas: { 40: { required: true } },
    data_sources: { 213: { schemas: ["40"] } },
    enforcement: "off",
  });
  await suggest.click();
  await expect(toasts(page).getByText("There is nothing to suggest")).toBeVisible();
});

test("unsaved changes prompt before they are discarded, and nothing is sent offline", { tag: "@release" }, async ({
  page,
  environment,
  context,
}) => {
  await open(page, environment);
  await page.getByRole("radio", { name: "Refuse", exact: true }).check({ force: true });
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText(/unknown properties allow.*refuse/);
  for (const elsewhere of [page.getByRole("link", { name: "Webhooks" }), page.getByRole("tab", { name: "Problems" })]) {
    await elsewhere.click();
    await expect(dialog(page)).toContainText("Discard your changes?");
    await dialog(page).getByRole("button", { name: "Keep editing" }).click();
  }
  await save(page);
  await context.setOffline(true);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await expect(dialog(page).getByRole("alert")).toContainText("nothing was sent");
  await context.setOffline(false);
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("radio", { name: "Allow", exact: true })).toBeChecked();
  expect((await definitionsOf(environment)).version).toBe(0);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });
  test("reads rules and changes nothing", async ({ page, environment }) => {
    await define(environment, {
      properties: { plan: { type: "string", required: true, enum: ["free"], overridable: true } },
      schemas: { 40: { name: "Orders" } },
    });
    await open(page, environment);
    await expect(property(page, "plan")).toContainText(/required.*Viewer tokens may override it.*free/);
    await expect(property(page, "plan").getByRole("button")).toHaveCount(0);
    await expect(page.getByRole("radio", { name: "Enforce" })).toBeDisabled();
    await expect(page.getByLabel("Name, row 1")).toHaveAttribute("readonly");
    await expect(page.getByRole("button", { name: /^(Add|Remove|Save)/ })).toHaveCount(0);
    await expectAccessible(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScrolling(page);
  });
});
