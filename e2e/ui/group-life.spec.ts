import { newId } from "../fixtures/api";
import { expect, expectAccessible, test, toasts, typeInto } from "../fixtures/browser";

test("a group is created as rows, edited as rows and as JSON, and saved by key", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  await environment.createGroup({ name: "The first group" });
  const id = newId();
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("link", { name: "Create group" }).click();
  await expect(page.getByRole("heading", { name: "Create user group" })).toBeVisible();
  await page.getByLabel("Id", { exact: true }).fill(id);
  await page.getByLabel("Name", { exact: true }).fill("Acme GmbH");
  const mapping = page.getByRole("group", { name: "Mapping" });
  await mapping.getByRole("button", { name: "Add row" }).click();
  await mapping.getByLabel("Schema, row 1").fill("40");
  await mapping.getByLabel("Data source, row 1").fill("213");
  await page.getByRole("button", { name: "Create user group" }).click();

  await expect(page.getByRole("heading", { name: "Acme GmbH", exact: true })).toBeVisible();
  const properties = page.getByRole("group", { name: "Properties" });
  await properties.getByRole("radio", { name: "JSON" }).click();
  const editor = properties.getByRole("textbox");
  await typeInto(editor, '{"plan": "pro", "seats": 1.10,\n"plan": 2}');
  await expect(properties.getByText(/Line 2: .*stands more than once|Line 2/)).toBeVisible();
  await typeInto(editor, '{"plan": "pro", "seats": 1.10}');
  await expect(page.getByText("2 unsaved changes")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+s");
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  await expect(page.getByText("unsaved change")).toBeHidden();

  await page.getByLabel("Name", { exact: true }).fill("Acme AG");
  await properties.getByRole("radio", { name: "Table" }).click();
  await properties.getByLabel("Value, row 1").fill("enterprise");
  await expect(page.getByText("2 unsaved changes")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { name: "Acme AG", exact: true })).toBeVisible();
  const [row] = await database.query("SELECT name, mapping, properties FROM user_group WHERE provided_id = $1", [id]);
  expect(row).toEqual({
    name: "Acme AG",
    mapping: '{"40":"213"}',
    // Untouched values keep their spelling.
    properties: '{"plan":"enterprise","seats":1.10}',
  });
});

test("an emptied text can be restarted as rows", async ({ page, environment }) => {
  await page.goto(`/${environment.slug}/groups/new`);
  const mapping = page.getByRole("group", { name: "Mapping" });
  await mapping.getByRole("radio", { name: "JSON" }).click();
  const editor = mapping.getByRole("textbox");
  await typeInto(editor, " ");
  await expect(editor).not.toContainText("{");
  await mapping.getByRole("radio", { name: "Table" }).click();
  await mapping.getByRole("button", { name: "Add row" }).click();
  await expect(mapping.getByLabel("Schema, row 1")).toBeFocused();
  await page.keyboard.type("40");
  await mapping.getByRole("radio", { name: "JSON" }).click();
  await expect(editor).toContainText('"40": ""');
});

test("an existing id is reported with a link to its group", async ({ page, environment }) => {
  const { provided_id } = await environment.createGroup({ name: "First come" });
  await page.goto(`/${environment.slug}/groups/new`);
  await page.getByLabel("Id", { exact: true }).fill(provided_id);
  await page.getByLabel("Name", { exact: true }).fill("Second");
  await page.getByRole("button", { name: "Create user group" }).click();
  await expect(page.getByText("A user group with this id already exists")).toBeVisible();
  await expect(page.getByText("It is called “First come”. It was not changed.")).toBeVisible();
  // This discards the typed text, so a prompt comes first.
  await page.getByRole("link", { name: "Open that group" }).click();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await expect(page.getByRole("heading", { name: "First come" })).toBeVisible();
});

test("a group is duplicated, and copied to another environment with its id", { tag: "@release" }, async ({
  page,
  environment,
  owner,
}) => {
  const fields = { name: "Acme GmbH", mapping: { 40: "213" }, properties: { plan: "pro", seats: 5 } };
  const { team_id, provided_id } = await environment.createGroup(fields);
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("button", { name: "Actions for Acme GmbH" }).click();
  await page.getByRole("menuitem", { name: "Duplicate…" }).click();
  await expect(page.getByText("Starts with the properties and mapping of “Acme GmbH”")).toBeVisible();
  await expect(page.getByLabel("Id", { exact: true })).toHaveValue("");
  await expect(page.getByLabel("Id", { exact: true })).toBeFocused();
  await expectAccessible(page);
  const id = newId();
  await page.keyboard.type(id);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Acme GmbH (copy)", exact: true })).toBeVisible();
  const stored = async (slug: string, user_group_id: string) =>
    (await owner.in(slug).groups("", { user_group_id })).json.user_groups;
  expect(await stored(environment.slug, id)).toMatchObject([{ ...fields, name: "Acme GmbH (copy)" }]);

  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Duplicate…" }).click();
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Environment/ })
    .click();
  await page.getByRole("menuitemradio", { name: "Testing", exact: true }).click();
  await expect(page).toHaveURL(/^[^?]*\/testing\/groups\/new\?from=/);
  await expect(page.getByLabel("Id", { exact: true })).toHaveValue(provided_id);
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Acme GmbH");
  await page.getByRole("button", { name: "Create user group" }).click();
  await expect(page).toHaveURL(/\/testing\/groups\/\d+$/);
  expect(await stored("testing", provided_id)).toMatchObject([{ ...fields, provided_id }]);
});

test("a group's id is changed, and its page says so", async ({ page, environment }) => {
  const [{ team_id, provided_id }, other] = [
    await environment.createGroup({ name: "Acme GmbH" }),
    await environment.createGroup(),
  ];
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Change id…" }).click();
  const dialog = page.getByRole("dialog", { name: "Change the id of “Acme GmbH”" });
  await expect(dialog.getByText("For 7 days, calls with the old id are refused")).toBeVisible();
  await expectAccessible(page);
  const field = dialog.getByLabel("Id", { exact: true });
  await expect(field).toHaveValue(provided_id);
  await field.fill(" blank at the front");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(field).toHaveAccessibleDescription(/Must not begin or end with white space/);
  await field.fill(other.provided_id);
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Another user group has this id")).toBeVisible();
  const id = newId("changed");
  await field.fill(id);
  await page.keyboard.press("Enter");
  await expect(toasts(page).getByText(`“Acme GmbH” now has the id ${id}`)).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("main").getByText(id, { exact: true })).toBeVisible();
  // The fields are saved under the new id.
  await page.getByLabel("Name", { exact: true }).fill("Acme AG");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByRole("heading", { name: "Acme AG", exact: true })).toBeVisible();
  await page.getByRole("tab", { name: /^History/ }).click();
  await expect(page.getByText(/changed the id|changed id/)).toBeVisible();
});

test("the service's errors show at their fields", async ({ page, environment }) => {
  await page.goto(`/${environment.slug}/groups/new`);
  await page.getByLabel("Id", { exact: true }).fill(" blank at the front");
  await page.getByRole("button", { name: "Create user group" }).click();
  await expect(page.getByLabel("Id", { exact: true })).toHaveAccessibleDescription(
    /Must not begin or end with white space/,
  );
  await expect(page.getByLabel("Name", { exact: true })).toHaveAccessibleDescription(/Enter a name/);
  await expect(page.getByLabel("Id", { exact: true })).toBeFocused();
});

test("a group is deleted by typing its id, and restored within 10 s with its token", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const fields = { user_group_id: newId("two  spaces"), name: "Short-lived" };
  const { team_id, provided_id, token } = await environment.createGroup(fields);
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(environment.name);
  const confirm = dialog.getByRole("button", { name: "Delete user group" });
  await expect(confirm).toBeDisabled();
  // biome-ignore lint/performance/useDomNodeTextContent: as it shows, not as HTML has it
  await dialog.getByRole("textbox").fill(await dialog.getByText(/^two/).innerText());
  await confirm.click();
  await expect(toasts(page).getByText("“Short-lived” was deleted")).toBeVisible();
  await expect(page).toHaveURL(`/${environment.slug}/groups`);
  const put = () => environment.call("PUT", "/api/user", { body: { user_group_id: provided_id } });
  expect((await put()).status).toBe(404);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page).getByText("“Short-lived” was restored")).toBeVisible();
  expect((await put()).json.user_group.token).toBe(token);
  await expect(page.getByRole("link", { name: "Short-lived" })).toBeVisible();
});

test("a new group after a duplicate that was not created begins blank", async ({ page, environment }) => {
  await environment.createGroup({ name: "Acme", properties: { plan: "pro" } });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("button", { name: "Actions for Acme" }).click();
  await page.getByRole("menuitem", { name: "Duplicate…" }).click();
  const name = page.getByLabel("Name", { exact: true });
  await expect(name).toHaveValue("Acme (copy)");
  await page.keyboard.press("ControlOrMeta+k");
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  await palette.getByRole("combobox").fill("create user");
  await expect(palette.getByRole("option").first()).toContainText("Create user group");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/${environment.slug}/groups/new`);
  await expect(name).toHaveValue("");
});

for (const [item, verb] of [
  ["Suspend…", "Suspend"],
  ["Delete…", "Delete user group"],
] as const) {
  test(`${item} leaves alone a group that has taken the id of a deleted one`, async ({ page, environment }) => {
    const user_group_id = newId();
    await environment.createGroup({ user_group_id, name: "Earlier" });
    await page.goto(`/${environment.slug}/groups`);
    await expect(page.getByRole("link", { name: "Earlier" })).toBeVisible();
    await environment.call("DELETE", "/api/user", { body: { user_group_id } });
    await environment.createGroup({ user_group_id, name: "Later" });
    await page.getByRole("button", { name: "Actions for Earlier" }).click();
    await page.getByRole("menuitem", { name: item }).click();
    const dialog = page.getByRole("dialog", { name: /“Earlier”\?$/ });
    if (item === "Delete…") await dialog.getByRole("textbox").fill(user_group_id);
    await dialog.getByRole("button", { name: verb, exact: true }).click();
    await expect(dialog.getByRole("alert")).toContainText("It may have been deleted.");
    const { json } = await environment.call("GET", `/api/user-groups?user_group_id=${user_group_id}`);
    expect(json.user_groups).toMatchObject([{ name: "Later", state: "active" }]);
  });
}
