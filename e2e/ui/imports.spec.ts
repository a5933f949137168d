import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  holdRequests,
  type TestEnvironment,
  test,
} from "../fixtures/browser";
import { chooseMore, names } from "../fixtures/list";

const CSV = [
  "user_group_id,name,properties",
  'known,Known after,"{""plan"":""pro""}"',
  "=1+1,New one,",
  "broken,x,not json",
].join("\n");

/** Chooses a file and waits until it is checked. */
async function choose(page: Page, environment: TestEnvironment, text: string, name = "groups.csv") {
  await page.goto(`/${environment.slug}/groups/import`);
  await page
    .getByLabel("Drop a file here, or choose one")
    .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await expect(page).toHaveURL(/\/groups\/jobs\/\d+$/);
}

const list = (page: Page) => page.getByRole("list", { name: "Rows of the job" });

test("a file is chosen, reviewed and applied, failed rows are downloaded, and an export gives the same file", {
  tag: "@release",
}, async ({ page, environment }) => {
  test.slow();
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("link", { name: "Import", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Import user groups" })).toBeVisible();
  await expectAccessible(page);
  await environment.createGroup({ user_group_id: "known", name: "Known before" });
  await choose(page, environment, CSV);
  await expect(page.getByText("Nothing has been changed yet")).toBeVisible();
  await expect(list(page).getByRole("listitem")).toHaveCount(3);
  await list(page).getByRole("button", { name: "known" }).click();
  await expect(list(page)).toContainText("−BeforeKnown before+AfterKnown after");
  await expect(list(page)).toContainText("Row 4Errorbrokenproperties is not valid JSON");
  await page.getByRole("radio", { name: "To create 1", exact: true }).check();
  await expect(list(page).getByRole("listitem")).toHaveCount(1);
  await expectAccessible(page);
  for (const width of [320, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScrolling(page);
  }

  await test.step("its buttons are within reach on a phone", async () => {
    await page.setViewportSize({ width: 320, height: 400 });
    await list(page).getByRole("listitem").scrollIntoViewIfNeeded();
    await expect(page.getByRole("button", { name: "Apply 2 rows…" })).toBeInViewport({ ratio: 1 });
    await expectAccessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  await page.getByRole("button", { name: "Apply 2 rows…" }).click();
  const dialog = page.getByRole("dialog", { name: "Apply 2 rows?" });
  await expect(dialog).toContainText(environment.name);
  await expect(dialog).toContainText("1 user group will be created and 1 changed; 1 row has errors and is skipped.");
  await expectAccessible(page);
  // The page is unchanged after leaving and returning.
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.goto(`/${environment.slug}/groups/import`);
  await expect(page.getByRole("list", { name: "Recent jobs" })).toContainText(
    "Checked, not applied · to create: 1 · to change: 1 · error: 1",
  );
  await page.getByRole("link", { name: "groups.csv" }).click();
  // By keyboard, with a filter that matches nothing afterwards.
  await page.getByRole("radio", { name: "To create 1", exact: true }).check();
  await page.getByRole("button", { name: "Apply 2 rows…" }).press("Enter");
  await dialog.getByRole("button", { name: "Apply" }).press("Enter");
  await expect(page.getByText("The job is done")).toBeVisible();
  await expect(page.locator(":focus")).toContainText("The job is done");
  await expect(list(page).getByRole("listitem")).toHaveCount(3);
  await expectAccessible(page);
  const [report] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download failed rows" }).click(),
  ]);
  expect(await readFile(await report.path(), "utf8")).toContain('4,broken,error,properties,"is not valid JSON');

  await page.goto(`/${environment.slug}/groups?sort=created&search=one`);
  await expect(names(page)).toHaveText(["New one"]);
  const [file] = await Promise.all([page.waitForEvent("download"), chooseMore(page, "Export as CSV")]);
  expect(file.suggestedFilename()).toBe(`user-groups-${environment.slug}-${new Date().toISOString().slice(0, 10)}.csv`);
  const saved = await readFile(await file.path(), "utf8");
  expect(saved.split("\r\n")[1]).toMatch(/^'=1\+1,New one,\{\},null,/);
  await choose(page, environment, saved);
  await expect(page.getByText("It would not change anything.")).toBeVisible();
});

test("an import is undone by a dry run that shows what will be restored, then for good", {
  tag: "@release",
}, async ({ page, environment }) => {
  await environment.createGroup({ user_group_id: "known", name: "Known before", properties: { plan: "free" } });
  await choose(page, environment, CSV);
  await page.getByRole("button", { name: "Apply 2 rows…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
  const imported = page.url();
  await page.getByRole("button", { name: "Undo", exact: true }).press("Enter");
  await expect(page.getByText("Applying it would make these changes.")).toBeVisible();
  expect(page.url()).not.toBe(imported);
  await expect(page.getByText("Undo of groups.csv", { exact: true })).toBeVisible();
  const undone = page.getByRole("list", { name: "Rows of the job" });
  await expect(undone).toContainText("Row 2To changeKnown beforeknown");
  await expect(undone).toContainText("Known after → Known before");
  await expect(undone).toContainText("To deleteNew one=1+1");
  await expectAccessible(page);
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScrolling(page);
  }
  await page.getByRole("button", { name: "Apply 2 rows…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
  await expect(page.getByRole("link", { name: "Import more" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Undo", exact: true })).toBeVisible();
  await page.goto(`/${environment.slug}/groups?sort=created`);
  await expect(names(page)).toContainText(["Known before"]);
});

const FOREIGN = [
  "\uFEFFCustomer ID;Company;plan;seats;region;Notes",
  'northwind;"Northwind\r\nTraders";pro;40;eu-west;"called\r\ntwice"',
  "contoso;;;;;",
  "harbor;Harbor Foods;free;ten;;",
  ...Array.from({ length: 100 }, (_, n) => `new-${n};New ${n};free;${n};us-east;`),
].join("\r\n");

test.describe("in an environment of customers", () => {
  test.use({ tag: "Customer" });

  test("a foreign CSV is mapped, applied and undone by keyboard, and a pasted one is mapped alike", {
    tag: "@release",
  }, async ({ page, environment }) => {
    test.slow();
    const northwind = {
      user_group_id: "northwind",
      name: "Northwind",
      properties: { plan: "free", seats: 25, tier: 1 },
    };
    await environment.createGroup(northwind);
    await environment.createGroup({ user_group_id: "contoso", properties: { region: "eu-west", seats: 3 } });
    const press = (name: string) => page.getByRole("button", { name, exact: true }).press("Enter");
    const select = async (name: string, key: string) => {
      await press(name);
      await expect(page.getByRole("menuitemradio").first()).toBeFocused();
      await page.keyboard.press(key);
      await page.keyboard.press("Enter");
      await expect(page.getByRole("menu")).toBeHidden();
    };
    const stored = async (id: string) => {
      const { json } = await environment.call("GET", `/api/user-groups?user_group_id=${id}`, {});
      return json.user_groups[0]?.properties;
    };
    const apply = async () => {
      await press("Apply 102 rows…");
      const dialog = page.getByRole("dialog", { name: "Apply 102 rows?" });
      await expect(dialog.getByRole("button", { name: "Apply" })).toBeDisabled();
      await dialog.getByRole("textbox").focus();
      await page.keyboard.type("apply 102");
      await dialog.getByRole("button", { name: "Apply" }).press("Enter");
      await expect(page.getByText("The job is done")).toBeVisible();
    };
    const columns = page.getByRole("list", { name: "Columns" });

    await test.step("its columns are guessed, and corrected", async () => {
      await page.goto(`/${environment.slug}/groups/import`);
      await page
        .getByLabel("Drop a file here, or choose one")
        .setInputFiles({ name: "crm.csv", mimeType: "text/csv", buffer: Buffer.from(FOREIGN) });
      await expect(page.locator(":focus")).toContainText("Columns 6");
      await expect(page.getByRole("button", { name: "Field of Customer ID: User group id" })).toBeVisible();
      await expect(page.getByRole("button", { name: "Field of Company: Name" })).toBeVisible();
      await expect(page.getByRole("button", { name: "Type of seats: Number" })).toBeVisible();
      await expect(columns).toContainText("Not a number: “ten” in line 6");
      await select("Field of Notes: Ignore", "Home");
      await expect(page.getByText("Two columns are mapped to the id.")).toBeVisible();
      await expect(page.getByRole("button", { name: "Check 103 rows" })).toBeDisabled();
      await select("Field of Notes: User group id", "P");
      await page.getByLabel("Property of Notes").fill("notes");
      await expect(columns).toContainText("102 empty");
      await select("Empty cells: Keep the value", "ArrowDown");
      await expect(page.getByRole("button", { name: "Empty cells: Remove the value" })).toBeVisible();
      await expectAccessible(page);
      for (const width of [320, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        await expectNoSidewaysScrolling(page);
      }
    });

    await test.step("its differences are in words, and it is applied", async () => {
      await press("Check 103 rows");
      await expect(page).toHaveURL(/\/groups\/jobs\/\d+$/);
      await expect(list(page)).toContainText("Row 2To changeNorthwind Tradersnorthwind");
      await expect(list(page)).toContainText("name Northwind → Northwind Traders · plan free → pro · seats 25 → 40");
      await expect(list(page)).toContainText("region removed, was eu-west");
      await expect(list(page)).toContainText("Row 6Errorharborseats “ten” is not a number");
      await expectAccessible(page);
      await apply();
      expect(await stored("northwind")).toEqual({
        plan: "pro",
        seats: 40,
        tier: 1,
        region: "eu-west",
        notes: "called\r\ntwice",
      });
      expect(await stored("contoso")).toEqual({});
      expect(await stored("new-7")).toEqual({ plan: "free", seats: 7, region: "us-east" });
    });

    await test.step("it is undone", async () => {
      await press("Undo");
      await expect(page.getByText("Applying it would make these changes.")).toBeVisible();
      await apply();
      expect(await stored("northwind")).toEqual(northwind.properties);
      expect(await stored("contoso")).toEqual({ region: "eu-west", seats: 3 });
      await page.goto(`/${environment.slug}/groups/deleted`);
      await expect(page.getByText("New 7", { exact: true })).toBeVisible();
    });

    await test.step("the next table is mapped alike", async () => {
      await page.goto(`/${environment.slug}/groups/import`);
      await page.getByLabel("Or paste a table").evaluate((element) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", "Customer ID\tNotes\nnorthwind\tmoved\n");
        element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      });
      await expect(page.getByLabel("Property of Notes")).toHaveValue("notes");
      await press("Check 1 row");
      await expect(list(page)).toContainText("notes moved");
    });
  });
});

test("a definitions finding about a row is a warning, and the row can still be applied", {
  tag: "@release",
}, async ({ page, environment }) => {
  const body = { properties: { plan: { type: "string", enum: ["free"] } }, enforcement: "report" };
  const { status, text } = await environment.call("PUT", "/api/definitions", { body });
  expect(status, text).toBe(200);
  await choose(page, environment, '{"user_group_id":"a","properties":{"plan":"pro"}}', "one.jsonl");
  await expect(list(page)).toContainText("To createa");
  await expect(list(page)).toContainText("plan must be one of free");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Apply 1 row…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
});

test("a sync previews its deletions, and deletes once applied", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  for (let n = 0; n < 20; n++) await environment.createGroup({ user_group_id: `id-${n}`, name: `Group ${n}` });
  const file = (count: number) => Array.from({ length: count }, (_, n) => `{"user_group_id":"id-${n}"}\n`).join("");
  const sync = async (count: number, most?: string) => {
    await page.goto(`/${environment.slug}/groups/import`);
    await page.getByRole("checkbox", { name: "Also delete user groups that are not in the file" }).check();
    const limit = page.getByRole("textbox", { name: "Delete at most" });
    await expect(limit).toHaveValue("5%");
    if (most) await limit.fill(most);
    await expectAccessible(page);
    await page
      .getByLabel("Drop a file here, or choose one")
      .setInputFiles({ name: "groups.jsonl", mimeType: "text/plain", buffer: Buffer.from(file(count)) });
    await expect(page).toHaveURL(/\/groups\/jobs\/\d+$/);
  };
  const living = async () =>
    (
      await database.query(
        "SELECT count(*)::int AS count FROM user_group g JOIN environment e ON e.id = g.environment_id WHERE slug = $1",
        [environment.slug],
      )
    )[0]?.count;
  await sync(18);
  await page.getByRole("button", { name: "Apply 2 rows…" }).click();
  const dialog = page.getByRole("dialog", { name: "Apply 2 rows?" });
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("alert")).toContainText("would delete 2 of 20 user groups, and max_deletions allows 1");
  expect(await living()).toBe(20);

  await sync(19);
  await page.getByRole("radio", { name: "To delete 1", exact: true }).check();
  await expect(list(page).getByRole("listitem")).toHaveCount(1);
  await expect(list(page)).toContainText("Not in fileTo deleteGroup 19id-19");
  await page.getByRole("button", { name: "Apply 1 row…" }).click();
  const last = page.getByRole("dialog", { name: "Apply 1 row?" });
  await expect(last).toContainText("1 user group will be deleted.");
  await expectAccessible(page);
  await last.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
  await expect(list(page)).toContainText("Deleted");
  expect(await living()).toBe(19);

  await sync(17, "2");
  await page.getByRole("button", { name: "Apply 2 rows…" }).click();
  await page.getByRole("dialog", { name: "Apply 2 rows?" }).getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The job is done")).toBeVisible();
  expect(await living()).toBe(17);
});

test("a running import is cancelled and shows how much was applied", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const many = Array.from({ length: 30_000 }, (_, n) => `{"user_group_id":"id-${n}"}\n`).join("");
  await choose(page, environment, many, "many.jsonl");
  await page.getByRole("button", { name: "Apply 30,000 rows…" }).click({ timeout: 60_000 });
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await expect(page.getByRole("progressbar", { name: "Applying" })).toBeVisible();
  await expect(page.getByText(/^[1-9][\d,]* of 30,000$/)).toBeVisible();
  await page.getByRole("button", { name: "Cancel job" }).press("Enter");
  await expect(page.getByText("The job was cancelled")).toBeVisible();
  await expect(page.locator(":focus")).toContainText("The job was cancelled");
  const [row] = await database.query(
    "SELECT count(*)::int AS count FROM user_group g JOIN environment e ON e.id = g.environment_id WHERE slug = $1",
    [environment.slug],
  );
  expect(row.count).toBeLessThan(30_000);
  const said = `${row.count.toLocaleString("en")} of 30,000 rows were applied and are kept.`;
  await expect(page.getByRole("main")).toContainText(said);
  await page.getByRole("radio", { name: /^All rows/ }).check();
  await expect(list(page)).not.toContainText("To create");
});

test("a lost connection during an upload is reported, and an invalid file is refused", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await choose(page, environment, "user_group_id,name,name\nx,y,z\n");
  await expect(page.getByRole("alert").filter({ hasText: "The job failed" })).toContainText("twice");
  await page.goto(`/${environment.slug}/groups/import`);
  await page.route("**/api/jobs", (route) => route.abort());
  const field = page.getByLabel("Drop a file here, or choose one");
  await field.setInputFiles({ name: "x.csv", mimeType: "text/csv", buffer: Buffer.from("user_group_id\nx\n") });
  await expect(page.getByRole("alert").filter({ hasText: "The file was not sent" })).toContainText(
    "The service cannot be reached",
  );
  await expect(field).toBeFocused();

  await page.unroute("**/api/jobs");
  const refused = page.getByRole("alert").filter({ hasText: "The file was not sent" });
  await field.setInputFiles({ name: "x.csv", mimeType: "text/csv", buffer: Buffer.from("") });
  await expect(refused).toContainText("The file is empty.");
  // Choosing a file again only fires an event if none is chosen.
  await expect(field).toHaveValue("");
  const wrong = Buffer.from("user_group_id,properties\nx,no JSON\n");
  await field.setInputFiles({ name: "x.csv", mimeType: "text/csv", buffer: wrong });
  await expect(page.getByText("Nothing would change. Rows with errors are listed below.")).toBeVisible();
});

test("an upload gets the focus, the field gets it after a cancel, and the import page says the file is incomplete", {
  tag: "@release",
}, async ({ page, context, environment }) => {
  await page.goto(`/${environment.slug}/groups/import`);
  // Delayed, so that the import stays incomplete.
  await page.route("**/pieces/0", () => undefined);
  const sent = page.waitForRequest("**/pieces/0");
  const field = page.getByLabel("Drop a file here, or choose one");
  await field.setInputFiles({ name: "x.csv", mimeType: "text/csv", buffer: Buffer.from("user_group_id\nx\n") });
  const number = /jobs\/(\d+)/.exec((await sent).url())?.[1];
  await expect(page.locator(":focus")).toContainText("Sending x.csv");
  const other = await context.newPage();
  await other.goto(`/${environment.slug}/groups/jobs/${number}`);
  await expect(other.getByText("The file is incomplete")).toBeVisible();
  await expectAccessible(other);
  await page.getByRole("button", { name: "Cancel" }).press("Enter");
  await expect(field).toBeFocused();
  await expect(other.getByText("The job was not applied")).toBeVisible();
});

test("a table whose reading was cancelled is not opened", async ({ page, environment }) => {
  await page.goto(`/${environment.slug}/groups/import`);
  const release = await holdRequests(page, "**/api/definitions");
  const reading = page.waitForRequest("**/api/definitions");
  const field = page.getByLabel("Drop a file here, or choose one");
  await field.setInputFiles({ name: "x.csv", mimeType: "text/csv", buffer: Buffer.from("customer,plan\nacme,pro\n") });
  await reading;
  await page.getByRole("button", { name: "Cancel" }).click();
  release();
  await expect(field).toBeFocused();
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("can export but not import", async ({ page, environment }) => {
    await environment.createGroup({ name: "Alpha" });
    await page.goto(`/${environment.slug}/groups`);
    await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
    await expect(page.getByRole("menuitem", { name: "Export as CSV" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("link", { name: "Import" })).toHaveCount(0);
    await page.goto(`/${environment.slug}/groups/import`);
    await expect(page.getByText("Readers cannot import user groups.")).toBeVisible();
  });
});
