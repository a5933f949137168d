import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectNoSidewaysScrolling, type TestEnvironment, test } from "../fixtures/browser";
import { names } from "../fixtures/list";

const CSV = [
  "user_group_id,name,properties",
  'known,Known after,"{""plan"":""pro""}"',
  "=1+1,New one,",
  "broken,x,not json",
].join("\n");

/** Chooses a file and waits for its check. */
async function choose(page: Page, environment: TestEnvironment, text: string, name = "groups.csv") {
  await page.goto(`/${environment.slug}/groups/import`);
  await page
    .getByLabel("Drop a file here, or choose one")
    .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await expect(page).toHaveURL(/\/groups\/import\/\d+$/);
}

const list = (page: Page) => page.getByRole("list", { name: "Rows of the file" });

test("a file is chosen, looked at, applied, and what failed is saved; an export of it is the same file again", async ({
  page,
  environment,
}) => {
  test.slow();
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("link", { name: "Import a file" }).click();
  await expect(page.getByRole("heading", { name: "Import user groups" })).toBeVisible();
  await expectAccessible(page);
  await environment.createGroup({ user_group_id: "known", name: "Known before" });
  await choose(page, environment, CSV);
  await expect(page.getByText("Nothing has been changed yet")).toBeVisible();
  await expect(list(page).getByRole("listitem")).toHaveCount(3);
  await list(page).getByRole("button", { name: "known" }).click();
  await expect(list(page)).toContainText("−BeforeKnown before+AfterKnown after");
  await expect(list(page)).toContainText("Line 4Errorbrokenproperties is not JSON");
  await page.getByRole("combobox", { name: "Rows shown" }).selectOption({ label: "To create (1)" });
  await expect(list(page).getByRole("listitem")).toHaveCount(1);
  await expectAccessible(page);
  for (const width of [320, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScrolling(page);
  }

  await page.getByRole("button", { name: "Apply 2 rows…" }).click();
  const dialog = page.getByRole("dialog", { name: "Apply 2 rows?" });
  await expect(dialog).toContainText(environment.name);
  await expect(dialog).toContainText("1 row with errors are left out.");
  await expectAccessible(page);
  // Whoever leaves finds it again as it is.
  await dialog.getByRole("button", { name: "Not now" }).click();
  await page.goto(`/${environment.slug}/groups/import`);
  await expect(page.getByRole("list", { name: "Recent imports" })).toContainText(
    "Checked, not applied · to create: 1 · to change: 1 · error: 1",
  );
  await page.getByRole("link", { name: "groups.csv" }).click();
  await page.getByRole("button", { name: "Apply 2 rows…" }).click();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The import is done")).toBeVisible();
  await expectAccessible(page);
  const [report] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "What failed" }).click(),
  ]);
  expect(await readFile(await report.path(), "utf8")).toContain(
    '4,broken,error,properties,"is not JSON that can be kept',
  );

  await page.goto(`/${environment.slug}/groups?sort=created&search=one`);
  await expect(names(page)).toHaveText(["New one"]);
  await page.getByRole("button", { name: "Export", exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "CSV, for spreadsheets" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`user-groups-${environment.slug}-${new Date().toISOString().slice(0, 10)}.csv`);
  const saved = await readFile(await file.path(), "utf8");
  expect(saved.split("\r\n")[1]).toMatch(/^'=1\+1,New one,\{\},null,/);
  await choose(page, environment, saved);
  await expect(page.getByText("There is nothing in the file that would change anything.")).toBeVisible();
});

test("an import is cancelled on its way, and says how much of it is done", async ({ page, environment, database }) => {
  const many = Array.from({ length: 30_000 }, (_, n) => `{"user_group_id":"id-${n}"}\n`).join("");
  await choose(page, environment, many, "many.jsonl");
  await page.getByRole("button", { name: "Apply 30,000 rows…" }).click({ timeout: 60_000 });
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("progressbar", { name: "Applying" })).toBeVisible();
  await page.getByRole("button", { name: "Cancel import" }).click();
  await expect(page.getByText("The import was cancelled")).toBeVisible();
  const [row] = await database.query(
    "SELECT count(*)::int AS count FROM user_group g JOIN environment e ON e.id = g.environment_id WHERE slug = $1",
    [environment.slug],
  );
  expect(row.count).toBeLessThan(30_000);
  const said =
    row.count === 0 ? "Nothing was changed by it." : `${row.count.toLocaleString("en")} of 30,000 rows were done`;
  await expect(page.getByRole("main")).toContainText(said);
});

test("a connection that is lost while a file is sent is told, and a file that is none is refused", async ({
  page,
  environment,
}) => {
  await choose(page, environment, "nmae\nx\n");
  await expect(page.getByRole("alert").filter({ hasText: "The import failed" })).toContainText("did you mean name?");
  await page.goto(`/${environment.slug}/groups/import`);
  await page.route("**/api/admin/imports", (route) => route.abort());
  const field = page.getByLabel("Drop a file here, or choose one");
  await field.setInputFiles({ name: "x.csv", mimeType: "text/csv", buffer: Buffer.from("user_group_id\nx\n") });
  await expect(page.getByRole("alert").filter({ hasText: "The file was not sent" })).toContainText(
    "The service cannot be reached",
  );
  await expect(field).toBeVisible();
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("exports and does not import", async ({ page, environment }) => {
    await environment.createGroup({ name: "Alpha" });
    await page.goto(`/${environment.slug}/groups`);
    await expect(page.getByRole("button", { name: "Export", exact: true })).toBeVisible();
    await expect(page.getByRole("link", { name: "Import" })).toHaveCount(0);
    await page.goto(`/${environment.slug}/groups/import`);
    await expect(page.getByText("Viewers do not import user groups.")).toBeVisible();
  });
});
