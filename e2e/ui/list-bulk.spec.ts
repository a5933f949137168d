import { readFile } from "node:fs/promises";
import { toasts } from "../fixtures/browser";
import { expect, names, searchBox, table, test } from "../fixtures/list";

test("groups are selected across pages, exported exactly, deleted and restored", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const mapping = '{"40":"213","__proto__":{"z":1,"a":[1.50,9007199254740991]}}';
  const properties = '{"b":"\\u00e9\\n","a":null}';
  const body = `{"user_group_id":"exact","name":"Exact “1”","mapping":${mapping},"properties":${properties}}`;
  expect((await environment.call("GET", "/api/user", { body })).status).toBe(200);
  const stored = await environment.call("GET", "/api/user", { body: { user_group_id: "exact" } });
  const numbers = Array.from({ length: 60 }, (_, index) => String(index + 1).padStart(2, "0"));
  await Promise.all(numbers.map((number) => environment.createGroup({ user_group_id: number, name: `G ${number}` })));
  await page.goto(`/${environment.slug}/groups?sort=name`);

  const bar = page.getByRole("region", { name: "Selected groups" });
  await expect(bar).toHaveCount(0);
  await page.getByLabel("Select Exact “1”", { exact: true }).check();
  await page.getByLabel("Select G 02", { exact: true }).check();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByLabel("Select G 60", { exact: true }).check();
  await expect(bar).toContainText("3 selected");

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    bar.getByRole("button", { name: "Export" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`user-groups-${environment.slug}.jsonl`);
  const lines = (await readFile(await download.path(), "utf8")).split("\n");
  expect(lines).toHaveLength(4);
  expect(lines[3]).toBe("");
  expect(lines[0]).toBe(`{"user_group_id":"exact","name":"Exact “1”","mapping":${mapping},"properties":${properties}}`);
  expect(stored.text).toContain(`"properties":${properties}`);
  // The others were created at the same time: either may be first.
  const others = lines.slice(1, 3).map((line) => JSON.parse(line));
  expect(others).toContainEqual({ user_group_id: "02", name: "G 02", mapping: {}, properties: null });

  await bar.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 3 user groups?" });
  const confirm = dialog.getByRole("button", { name: "Delete 3 user groups" });
  await expect(dialog.getByRole("listitem")).toHaveText(["Exact “1”", "G 02", "G 60"]);
  await expect(dialog).toContainText(environment.name);
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel("Type delete 3 to confirm").fill("delete 2");
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel("Type delete 3 to confirm").fill("delete 3");
  await confirm.click();
  await expect(dialog).toHaveCount(0);
  await expect(bar).toHaveCount(0);
  await expect(page.getByLabel("Select G 60", { exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page).getByText("3 user groups were restored")).toBeVisible();
  await expect(page.getByLabel("Select G 60", { exact: true })).toBeVisible();
  const again = await environment.call("GET", "/api/user", { body: { user_group_id: "exact" } });
  expect(again.json).toEqual({ ...stored.json, new_user_group: false });
});

test("more than 100 groups are selected page by page, exported and deleted", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const numbers = Array.from({ length: 101 }, (_, index) => String(index + 1).padStart(3, "0"));
  await Promise.all(numbers.map((number) => environment.createGroup({ user_group_id: number })));
  await page.goto(`/${environment.slug}/groups?sort=id`);
  const all = page.getByLabel("Select all on this page");
  for (const shown of [50, 50, 1]) {
    await expect(names(page)).toHaveCount(shown);
    await expect(table(page)).toHaveAttribute("aria-busy", "false");
    await expect(all).not.toBeChecked();
    await all.check();
    if (shown === 50) await page.getByRole("button", { name: "Next" }).click();
  }
  const bar = page.getByRole("region", { name: "Selected groups" });
  await expect(bar).toContainText("101 selected");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    bar.getByRole("button", { name: "Export" }).click(),
  ]);
  expect((await readFile(await download.path(), "utf8")).trim().split("\n")).toHaveLength(101);
  await all.uncheck();
  await bar.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type delete 100 to confirm").fill("delete 100");
  await page.getByRole("button", { name: "Delete 100 user groups" }).click();
  await expect(names(page)).toHaveText(["101"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page).getByText("100 user groups were restored", { exact: true })).toBeVisible();
  expect(
    (await environment.call("POST", "/api/user/get-or-create", { body: { user_group_id: "001" } })).json,
  ).toMatchObject({ new_user_group: false });
});

test("deleting all groups of a page shows the first page", { tag: "@release" }, async ({ page, environment }) => {
  const numbers = Array.from({ length: 52 }, (_, index) => String(index + 1).padStart(2, "0"));
  await Promise.all(numbers.map((number) => environment.createGroup({ user_group_id: number })));
  await page.goto(`/${environment.slug}/groups?sort=id`);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(names(page)).toHaveCount(2);
  await page.getByLabel("Select all on this page").check();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type delete 2 to confirm").fill("delete 2");
  await page.keyboard.press("Enter");
  await expect(names(page)).toHaveCount(50);
  await expect(names(page).first()).toHaveText("01");
});

test("groups that were suspended before are not reported as suspended now", async ({ page, environment }) => {
  await environment.createGroup({ user_group_id: "a", name: "A" });
  expect((await environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: "a" } })).status).toBe(
    200,
  );
  await page.goto(`/${environment.slug}/groups`);
  await page.getByLabel("Select A", { exact: true }).check();
  await page.getByRole("button", { name: "Suspend…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Suspend", exact: true }).click();
  await expect(toasts(page).getByText("1 user group was already suspended", { exact: true })).toBeVisible();
});

test("an undo reports groups that were not restored", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ user_group_id: "taken", name: "Before" });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("button", { name: "Actions for Before" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByLabel("Type taken to confirm").fill("taken");
  await page.getByRole("button", { name: "Delete user group" }).click();
  await expect(toasts(page).getByText("“Before” was deleted")).toBeVisible();
  await environment.createGroup({ user_group_id: "taken", name: "After" });
  await page.getByRole("button", { name: "Undo" }).click();
  const notifications = page.getByRole("region", { name: "Notifications" });
  await expect(notifications).toContainText("Undo failed");
  await expect(notifications).toContainText("Another user group has this id now.");
  await expect(names(page)).toHaveText(["After"]);

  await environment.createGroup({ user_group_id: "other", name: "Other" });
  await page.reload();
  await page.getByLabel("Select all on this page").check();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type delete 2 to confirm").fill("delete 2");
  await page.getByRole("button", { name: "Delete 2 user groups" }).click();
  await expect(notifications).toContainText("2 user groups were deleted");
  await environment.createGroup({ user_group_id: "taken", name: "Third" });
  await notifications.getByRole("button", { name: "Undo" }).click();
  await expect(notifications).toContainText("1 user group not changed");
  await expect(notifications).toContainText("1 user group was restored.");
  await expect(names(page)).toHaveText(["Other", "Third"]);
  await page.getByRole("link", { name: "Third" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Typed");
  await notifications.getByRole("button", { name: "Show" }).click();
  await page
    .getByRole("dialog", { name: "Discard your changes?" })
    .getByRole("button", { name: "Discard changes" })
    .click();
  await expect(page).toHaveURL(/\/groups\/jobs\/\d+$/);
});

test("a selection belongs to one environment, and survives a search", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await environment.createGroup({ user_group_id: "a", name: "Alpha" });
  await environment.createGroup({ user_group_id: "b", name: "Beta" });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByLabel("Select Alpha").check();
  await searchBox(page).fill("Beta");
  await expect(names(page)).toHaveText(["Beta"]);
  const bar = page.getByRole("region", { name: "Selected groups" });
  await expect(bar).toContainText("1 selected");
  await page.getByRole("button", { name: `Environment: ${environment.name}` }).click();
  await page.getByRole("menuitemradio", { name: "Production" }).click();
  await expect(page).toHaveURL("/production/groups");
  await expect(bar).toHaveCount(0);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("can export, but neither delete nor create", async ({ page, environment }) => {
    await environment.createGroup({ user_group_id: "a", name: "Alpha" });
    await page.goto(`/${environment.slug}/groups`);
    await page.getByLabel("Select Alpha").check();
    const bar = page.getByRole("region", { name: "Selected groups" });
    await expect(bar.getByRole("button", { name: "Export" })).toBeVisible();
    await expect(bar.getByRole("button", { name: "Delete…" })).toHaveCount(0);
    await expect(page.getByRole("link", { name: "Create group" })).toHaveCount(0);
    await page.getByRole("button", { name: "Actions for Alpha" }).click();
    await expect(page.getByRole("menuitem")).toHaveText(["Copy id"]);
  });
});
