import { expect, test, toasts } from "../fixtures/browser";

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("two tabs change different fields of a group: the second is notified, and both changes are kept", {
  tag: "@release",
}, async ({ page, context, environment, member, database }) => {
  const mapping = { 40: "213" };
  const { team_id } = await environment.createGroup({ name: "Shared", mapping, properties: { plan: "free" } });
  const path = `/${environment.slug}/groups/${team_id}`;
  const other = await context.newPage();
  await page.goto(path);
  await other.goto(path);
  await page.getByLabel("Name", { exact: true }).fill("Renamed");
  await other.getByRole("group", { name: "Properties" }).getByLabel("Value, row 1").fill("pro");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();

  await other.getByRole("button", { name: "Save" }).click();
  const conflict = other.getByRole("dialog", { name: /changed this (user )?group/ });
  await expect(conflict).toContainText(member.name);
  await expect(conflict).toContainText("Your changes are not saved yet.");
  await expect(conflict.getByRole("region", { name: "Name" })).toContainText("Renamed");
  const stored = async () =>
    (await database.query("SELECT name, mapping, properties FROM user_group WHERE team_id = $1", [team_id]))[0];
  expect(await stored()).toMatchObject({ name: "Renamed", properties: '{"plan":"free"}' });
  await conflict.getByRole("button", { name: "Keep editing" }).click();
  await expect(other.getByRole("group", { name: "Properties" }).getByLabel("Value, row 1")).toHaveValue("pro");
  await other.getByRole("button", { name: "Save" }).click();
  await conflict.getByRole("button", { name: "Overwrite" }).click();
  await expect(toasts(other).getByText("Saved", { exact: true })).toBeVisible();
  expect(await stored()).toEqual({ name: "Renamed", mapping: '{"40":"213"}', properties: '{"plan":"pro"}' });
  await expect(other.getByLabel("Name", { exact: true })).toHaveValue("Renamed");
});

test("a tab copies the current token after another tab has rotated it", async ({ page, context, environment }) => {
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
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(current);
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
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Typed");
  await other.getByRole("button", { name: "Undo" }).click();
  await expect(toasts(other).getByText("“Shared” was restored")).toBeVisible();
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
  await expect(toasts(page)).toContainText("2 user groups are as before");
  const { json } = await environment.call("GET", "/api/user-groups");
  for (const group of json.user_groups) expect(group.properties).toEqual({ plan: "free", region: "eu" });
});
