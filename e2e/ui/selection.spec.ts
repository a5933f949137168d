import { expectAccessible, toasts } from "../fixtures/browser";
import { holdingGroup } from "../fixtures/hold";
import { expect, names, searchBox, table, test } from "../fixtures/list";

const bar = "Selected groups";

test("Shift-click selects a range in both directions, and deselects it", async ({ page, environment }) => {
  for (const id of ["1", "2", "3", "4", "5", "6"]) await environment.createGroup({ user_group_id: id, name: `G${id}` });
  await page.goto(`/${environment.slug}/groups?sort=id`);
  const box = (name: string) => page.getByLabel(`Select ${name}`, { exact: true });
  const chosen = async () =>
    table(page)
      .locator("tbody input:checked")
      .evaluateAll((boxes) => boxes.map((one) => one.id).length);
  await box("G2").click();
  await box("G5").click({ modifiers: ["Shift"] });
  await expect(page.getByRole("region", { name: bar })).toContainText("4 selected");
  for (const name of ["G2", "G3", "G4", "G5"]) await expect(box(name)).toBeChecked();
  await expect(box("G6")).not.toBeChecked();
  await box("G3").click({ modifiers: ["Shift"] });
  await expect.poll(chosen).toBe(1);
  await expect(box("G2")).toBeChecked();
  await box("G6").click();
  await box("G4").click({ modifiers: ["Shift"] });
  for (const name of ["G2", "G4", "G5", "G6"]) await expect(box(name)).toBeChecked();
  expect(await page.evaluate(() => window.getSelection()?.toString())).toBe("");
});

test("all matches are selected, counted, deleted and restored", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  test.slow();
  const create = (id: string, name: string) => environment.createGroup({ user_group_id: id, name });
  const numbers = Array.from({ length: 130 }, (_, index) => String(index + 1).padStart(3, "0"));
  await Promise.all(numbers.map((number) => create(number, `Trial ${number}`)));
  await create("kept", "Customer");
  await page.goto(`/${environment.slug}/groups?sort=id&search=trial`);
  await expect(names(page)).toHaveCount(50);
  await page.getByLabel("Select all on this page").check();
  const selected = page.getByRole("region", { name: bar });
  await expect(selected).toContainText("50 selected");
  await selected.getByRole("button", { name: "Select all 130 that match" }).click();
  await expect(selected).toContainText("130 selected");
  await expect(selected.getByRole("button", { name: /Select all/ })).toHaveCount(0);
  await page.getByRole("button", { name: "Next" }).click();
  await expect(names(page).first()).toHaveText("Trial 051");
  await expect(page.getByLabel("Select all on this page")).toBeChecked();
  // A further match that did not exist when the matches were counted.
  await create("later", "Trial later");

  await selected.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 130 user groups?" });
  await expect(dialog).toContainText("and 30 more");
  await dialog.getByLabel("Type delete 130 to confirm").fill("delete 130");
  await dialog.getByRole("button", { name: "Delete 130 user groups" }).click();
  await expect(toasts(page).getByText("130 user groups were deleted")).toBeVisible();
  await expect(selected).toHaveCount(0);
  const left = () =>
    database.query(
      "SELECT provided_id FROM user_group JOIN environment e ON e.id = environment_id WHERE e.slug = $1 ORDER BY 1",
      [environment.slug],
    );
  expect(await left()).toEqual([{ provided_id: "kept" }, { provided_id: "later" }]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(toasts(page).getByText("130 user groups were restored")).toBeVisible();
  expect(await left()).toHaveLength(132);
});

test("a stopped deletion shows its progress, and undoes only that", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const numbers = Array.from({ length: 250 }, (_, index) => String(index + 1).padStart(3, "0"));
  const user_groups = numbers.map((user_group_id) => ({ user_group_id }));
  await environment.call("POST", "/api/user-groups/batch", { body: { mode: "create", user_groups } });
  await page.goto(`/${environment.slug}/groups?sort=id`);
  await page.getByLabel("Select all on this page").check();
  const selected = page.getByRole("region", { name: bar });
  await selected.getByRole("button", { name: "Select all 250" }).click();
  await selected.getByRole("button", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete 250 user groups?" });
  await dialog.getByLabel("Type delete 250 to confirm").fill("delete 250");
  const held = await holdingGroup(environment.slug, "250");
  await dialog.getByRole("button", { name: "Delete 250 user groups" }).click();
  await expect(dialog).toContainText(/2\d\d of 250/);
  await dialog.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByText(/^2\d\d of 250 rows were applied and are kept\. \d+ not changed\.$/)).toBeVisible();
  await held.release();
  const count = async () => {
    const [row] = await database.query(
      "SELECT count(*)::int FROM user_group JOIN environment e ON e.id = environment_id WHERE e.slug = $1",
      [environment.slug],
    );
    return row?.count;
  };
  const left = await count();
  await expect(page.getByText(`${250 - left} of 250 rows were applied and are kept.`)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: `Apply ${250 - left} rows…` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
  expect(await count()).toBe(250);
});

test("a selection survives a search, a visit to a group and the return", async ({ page, environment }) => {
  for (const name of ["Alpha", "Beta", "Gamma"]) await environment.createGroup({ name });
  await page.goto(`/${environment.slug}/groups`);
  await page.getByLabel("Select Alpha").check();
  await searchBox(page).fill("Beta");
  await expect(names(page)).toHaveText(["Beta"]);
  await page.getByLabel("Select Beta").check();
  const selected = page.getByRole("region", { name: bar });
  await names(page).first().click();
  await expect(page.getByRole("heading", { level: 1, name: "Beta" })).toBeVisible();
  await page.goBack();
  await expect(names(page)).toHaveText(["Beta"]);
  await expect(selected).toContainText("2 selected");
  await page.goBack();
  await expect(names(page)).toHaveCount(3);
  for (const name of ["Alpha", "Beta"]) await expect(page.getByLabel(`Select ${name}`)).toBeChecked();
  await selected.getByRole("button", { name: "Clear selection" }).click();
  await expect(selected).toHaveCount(0);
});

test("a selected row stays marked on hover", async ({ page, environment }) => {
  for (const name of ["Alpha", "Beta"]) await environment.createGroup({ name });
  await page.goto(`/${environment.slug}/groups?sort=name`);
  await page.getByLabel("Select Alpha").check();
  const look = async (name: string) => {
    const row = table(page).locator("tbody tr").filter({ hasText: name });
    await row.hover();
    return row.evaluate(async (element) => {
      await Promise.all(element.getAnimations().map((animation) => animation.finished));
      return getComputedStyle(element).backgroundColor;
    });
  };
  expect(await look("Alpha")).not.toBe(await look("Beta"));
});
