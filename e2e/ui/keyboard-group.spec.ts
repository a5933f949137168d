import { expect, type Page, refuseReload, tabTo, test } from "../fixtures/browser";

/** Opens the list through the palette. */
async function goByPalette(page: Page) {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Search and commands" }).getByRole("combobox")).toBeFocused();
  await page.keyboard.type("groups");
  await page.keyboard.press("Enter");
}

const field = (page: Page, name: string) => page.getByRole("group", { name });

test("a group is created by keyboard alone, as JSON and as rows", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await page.goto(`/${environment.slug}/groups`);
  await expect(page.getByRole("link", { name: "Create group" })).toBeVisible();
  await page.keyboard.press("n");
  await expect(page.getByLabel("Id", { exact: true })).toBeFocused();
  await page.keyboard.type("by-keyboard");
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
  await page.keyboard.type("By keyboard");

  const properties = field(page, "Properties");
  await page.keyboard.press("Tab");
  await expect(properties.getByRole("radio", { name: "Table" })).toBeFocused();
  await tabTo(page, properties.getByLabel("Name, row 1"));
  await page.keyboard.type("plan");
  await page.keyboard.press("Tab");
  await page.keyboard.type("pro");
  await page.keyboard.press("Enter");
  await expect(properties.getByLabel("Name, row 2")).toBeFocused();
  await page.keyboard.type("seats");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitemradio", { name: "text" })).toBeFocused();
  await page.keyboard.type("nu");
  await page.keyboard.press("Enter");
  await expect(properties.getByRole("button", { name: "Type, row 2: number" })).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("10");
  const mapping = field(page, "Mapping");
  await tabTo(page, mapping.getByRole("radio", { name: "Table" }));
  await page.keyboard.press("ArrowRight");
  await expect(mapping.getByRole("radio", { name: "JSON" })).toBeFocused();
  await expect(mapping.locator(".cm-content")).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(mapping.locator(".cm-content")).toBeFocused();
  await page.keyboard.press("Control+a");
  await page.keyboard.type('{"40": "213", "40": "214"}');
  await expect(
    mapping
      .getByText("stands more than once")
      .or(mapping.getByText(/twice|duplicate/i))
      .first(),
  ).toBeVisible();
  await page.keyboard.press("Control+a");
  await page.keyboard.type('{"40": "213"}');

  await tabTo(page, page.getByRole("button", { name: "Create user group" }));
  await page.keyboard.press("Enter");

  await expect(page.getByRole("heading", { level: 1, name: "By keyboard" })).toBeVisible();
  const answer = await environment.call("PUT", "/api/user", { body: { user_group_id: "by-keyboard" } });
  expect(answer.json.user_group).toMatchObject({ name: "By keyboard", properties: { plan: "pro", seats: 10 } });
});

test("a property is edited and its conflict resolved by keyboard alone", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id, provided_id: user_group_id } = await environment.createGroup({
    properties: { seats: 39, plan: "a" },
  });
  const change = (properties: object) =>
    environment.call("PATCH", "/api/user", { body: { user_group_id, properties } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = field(page, "Properties");
  await tabTo(page, properties.getByLabel("Value, row 1"));
  await page.keyboard.press("Control+a");
  await page.keyboard.type("40");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.type("b");
  await change({ seats: 50, plan: "c" });
  await page.keyboard.press("Control+s");
  const conflict = page.getByRole("dialog", { name: /saved this group/ });
  await expect(conflict).toBeVisible();
  await expect(conflict.locator(":focus")).toHaveCount(1);
  await tabTo(page, conflict.getByRole("radio", { name: /^50/ }));
  await page.keyboard.press("ArrowDown");
  await expect(conflict.getByRole("radio", { name: /^40/ })).toBeChecked();
  await tabTo(page, conflict.getByRole("radio", { name: /^c/ }));
  await page.keyboard.press("Space");
  await expect(conflict).toContainText("Saves your seats. Keeps the saved plan.");
  await tabTo(page, conflict.getByRole("button", { name: "Save 1 change" }));
  await page.keyboard.press("Enter");
  await expect(conflict).toHaveCount(0);
  await expect(properties.getByLabel("Value, row 2")).toHaveValue("c");
  const { json } = await environment.call("PUT", "/api/user", { body: { user_group_id } });
  expect(json.user_group.properties).toEqual({ seats: 40, plan: "c" });
});

test("the arrow keys move between a group's tabs", { tag: "@release" }, async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  const tab = (name: string) => page.getByRole("tab", { name });
  await tabTo(page, tab("Properties and mapping"));
  await page.keyboard.press("ArrowRight");
  await expect(tab("Embed")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
  await expect(page).toHaveURL(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
  await page.keyboard.press("End");
  await expect(tab("History")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(tab("Properties and mapping")).toBeFocused();
});

test("a token rotation is cancelled and confirmed by keyboard", { tag: "@release" }, async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  const rotate = page.getByRole("button", { name: "Rotate…" });
  await tabTo(page, rotate);
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await tabTo(page, dialog.getByRole("button", { name: "Cancel" }));
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(rotate).toBeFocused();
  await page.keyboard.press("Enter");
  await tabTo(page, dialog.getByRole("button", { name: "Rotate token" }));
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText("The token was rotated");
  await tabTo(page, dialog.getByRole("button", { name: "Done" }));
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(rotate).toBeFocused();
});

test("Ctrl+S saves changes wherever the focus is", { tag: "@release" }, async ({ page, environment }) => {
  const group = await environment.createGroup({ user_group_id: "a", name: "Alpha" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await tabTo(page, page.getByLabel("Name", { exact: true }));
  await page.keyboard.press("End");
  await page.keyboard.type(" two");
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText("1 unsaved change");
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("heading", { level: 1, name: "Alpha two" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
});

test("a link, the palette, the back button and a reload prompt before unsaved changes are lost", {
  tag: "@release",
}, async ({ page, environment }) => {
  const group = await environment.createGroup({ user_group_id: "a", name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("link", { name: "Alpha" }).click();
  const name = page.getByLabel("Name", { exact: true });
  const url = `/${environment.slug}/groups/${group.team_id}`;
  const question = page.getByRole("dialog", { name: "Discard your changes?" });
  await name.fill("Changed");
  const stay = async () => {
    await expect(question).toBeVisible();
    await tabTo(page, question.getByRole("button", { name: "Keep editing" }));
    await page.keyboard.press("Enter");
    await expect(question).toHaveCount(0);
    await expect(name).toHaveValue("Changed");
    await expect(page).toHaveURL(url);
  };
  await page.getByRole("navigation").getByRole("link", { name: "Activity" }).press("Enter");
  await stay();
  await expect(page.getByRole("navigation").getByRole("link", { name: "Activity" })).toBeFocused();
  await goByPalette(page);
  await stay();
  await page.keyboard.press("n");
  await stay();
  await page.getByRole("tab", { name: "History" }).click();
  await expect(page).toHaveURL(`${url}?tab=history`);
  await page.getByRole("tab", { name: "Properties and mapping" }).click();
  await expect(page).toHaveURL(url);
  await page.evaluate(() => window.history.back());
  await stay();
  await refuseReload(page);
  await expect(name).toHaveValue("Changed");

  await goByPalette(page);
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/groups`);
  await page.goBack();
  await expect(name).toHaveValue("Alpha");
  await name.fill("Changed");
  await page.evaluate(() => window.history.back());
  await question.getByRole("button", { name: "Discard changes" }).click();
  await expect(page).toHaveURL(`/${environment.slug}/groups`);
  await expect(page.getByRole("link", { name: "Alpha" })).toBeVisible();
});
