import type { Locator, Page } from "@playwright/test";
import { expect, expectAccessible, type TestEnvironment, test, toasts, typeInto } from "../fixtures/browser";

const sheet = (page: Page, name: string) => page.getByRole("group", { name, exact: true });

/** Pastes as from a spreadsheet: cells as text and as a table. */
async function pasteCells(target: Locator, text: string) {
  await target.focus();
  await target.evaluate((element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    clipboardData.setData("text/html", "<table><tr><td></td></tr></table>");
    element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

test("cells pasted from a spreadsheet fill rows, with their types, and are saved", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const { team_id } = await environment.createGroup({
    name: "Acme",
    mapping: { 40: "213" },
    properties: { plan: "free" },
  });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  await pasteCells(
    properties.getByLabel("Name, row 1"),
    "plan\tpro\nseats\t25\nbig\t9007199254740993\nbeta\tTRUE\nzip\t007\n",
  );
  await expect(properties.getByRole("listitem")).toHaveCount(5);
  await expect(properties.getByLabel("Value, row 3")).toHaveValue("9007199254740993");
  await expect(properties.getByRole("button", { name: "Value, row 4: true" })).toBeVisible();
  for (const [row, type] of ["text", "number", "text", "boolean", "text"].entries()) {
    await expect(properties.getByRole("button", { name: `Type, row ${row + 1}: ${type}` })).toBeVisible();
  }
  // A single column fills downwards from the cell.
  await pasteCells(properties.getByLabel("Value, row 1"), "enterprise\n30\n");
  await expect(properties.getByLabel("Value, row 2")).toHaveValue("30");
  const mapping = sheet(page, "Mapping");
  await pasteCells(mapping.getByRole("button", { name: "Add row" }), "134\t386\n135\t387");
  await expect(mapping.getByLabel("Data source, row 3")).toHaveValue("387");

  const bar = page.getByRole("region", { name: "Unsaved changes" });
  await expect(bar).toContainText("7 unsaved changes");
  await expectAccessible(page);
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  const [row] = await database.query("SELECT mapping, properties FROM user_group WHERE team_id = $1", [team_id]);
  expect(row).toEqual({
    mapping: '{"40":"213","134":"386","135":"387"}',
    properties: '{"plan":"enterprise","seats":30,"big":"9007199254740993","beta":true,"zip":"007"}',
  });
});

test("typing follows the rule of pasting: numbers and booleans are those, and quotes make text", {
  tag: "@release",
}, async ({ page, environment, database }) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: { zip: "7" } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  const typed = { seats: "12", beta: "true", rate: "1.50", code: "007", text: '"12"', name: "12a" };
  for (const [index, [name, text]] of Object.entries(typed).entries()) {
    await properties.getByRole("button", { name: "Add row" }).click();
    await properties.getByLabel(`Name, row ${index + 2}`).fill(name);
    await properties.getByLabel(`Value, row ${index + 2}`).pressSequentially(text);
    if (name === "seats") {
      await expect(properties.getByText("Quotes make it text")).toBeVisible();
      await expectAccessible(page);
    }
  }
  await properties.getByLabel("Value, row 1").fill("8");
  for (const [row, type] of ["text", "number", "boolean", "number", "text", "text", "text"].entries()) {
    await expect(properties.getByRole("button", { name: `Type, row ${row + 1}: ${type}` })).toBeAttached();
    await expect(properties.getByRole("listitem").nth(row).getByTitle(type, { exact: true })).toBeVisible();
  }
  await page.keyboard.press("ControlOrMeta+s");
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  const [row] = await database.query("SELECT properties FROM user_group WHERE team_id = $1", [team_id]);
  expect(row.properties).toBe('{"zip":"8","seats":12,"beta":true,"rate":1.50,"code":"007","text":"12","name":"12a"}');
});

test("from 20 rows on a search finds a property, and a changed one shows what it was", async ({
  page,
  environment,
}) => {
  const some = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, `value ${index}`]));
  const { team_id } = await environment.createGroup({ name: "Acme", properties: some });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  await properties.getByRole("searchbox", { name: "Search properties" }).fill("VALUE 1");
  await expect(properties.getByRole("listitem")).toHaveCount(11);
  await properties.getByLabel("Value, row 2", { exact: true }).fill("other");
  await expect(properties.getByRole("listitem")).toHaveCount(11);
  await expect(properties.getByRole("listitem").first()).toContainText("was value 1");
  await properties.getByRole("button", { name: "Restore row 2" }).click();
  await expect(properties.getByLabel("Value, row 2", { exact: true })).toHaveValue("value 1");
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
});

test("a search shows a row that is being added, and stays while it hides rows", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const some = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`key${index}`, `value ${index}`]));
  const { team_id } = await environment.createGroup({ properties: some });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  const search = properties.getByRole("searchbox", { name: "Search properties" });
  await search.fill("value 1");
  await properties.getByRole("button", { name: "Remove row 2", exact: true }).click();
  await properties.getByRole("button", { name: /^Add row/ }).click();
  await expect(properties.getByLabel("Name, row 20", { exact: true })).toBeFocused();
  await page.keyboard.type("region");
  await page.keyboard.press("Tab");
  await page.keyboard.type("EU");
  await properties.getByRole("button", { name: "Remove row 20", exact: true }).click();
  await search.fill("");
  await expect(search).toHaveCount(0);
  await expect(properties.getByRole("listitem")).toHaveCount(19);
});

/** Opens a new group's properties as JSON. */
async function openJson(page: Page, environment: TestEnvironment) {
  const { team_id } = await environment.createGroup({ properties: { plan: "free" } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  await properties.getByRole("radio", { name: "JSON" }).check();
  return { properties, editor: properties.locator(".cm-content") };
}

test("the JSON view keeps its lines when saved, and what is typed right after", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { editor } = await openJson(page, environment);
  await typeInto(editor, '{\n  "plan": "pro"\n}');
  await page.keyboard.press("ControlOrMeta+s");
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  await page.keyboard.insertText(" ");
  // CodeMirror's wrapper applies a value that came while someone was typing a second later.
  await page.waitForTimeout(2_000);
  await expect(editor.locator(".cm-line")).toHaveText(["{", '  "plan": "pro"', "} "]);
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toHaveCount(0);
});

test("what is typed right after Format stays", { tag: "@release" }, async ({ page, environment }) => {
  const { properties, editor } = await openJson(page, environment);
  await typeInto(editor, '{"plan":"pro"}');
  await properties.getByRole("button", { name: "Format" }).click();
  await editor.press("ControlOrMeta+Home");
  await page.keyboard.insertText(" ");
  // The editor applies outside changes about a second after the last key.
  await page.waitForTimeout(2_000);
  await expect(editor.locator(".cm-line")).toHaveText([" {", '  "plan": "pro"', "}"]);
});

test("a list shows its items, and is edited as JSON", async ({ page, environment }) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: { regions: ["eu", "us"] } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  const item = (text: string) => properties.getByText(text, { exact: true });
  const value = properties.getByLabel("Value, row 1");
  await expect(item("us")).toBeVisible();
  await value.focus();
  await expect(item("us")).toBeHidden();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.type(',"ap"]');
  await expect(value).toBeFocused();
  await expect(value).toHaveValue('["eu","us","ap"]');
  await page.keyboard.press("Tab");
  await expect(item("ap")).toBeVisible();
});

test("multi-line text stays one value", async ({ page, environment }) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: { note: "" } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const value = sheet(page, "Properties").getByLabel("Value, row 1");
  await value.focus();
  await page.keyboard.insertText("two\nlines");
  await expect(value).toHaveValue("two\nlines");
  await expect(sheet(page, "Properties").getByRole("listitem")).toHaveCount(1);
});

test("the arrow keys move between cells, and typing replaces the cell", async ({ page, environment }) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: { plan: "free", region: "eu" } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  await properties.getByLabel("Name, row 1").focus();
  await page.keyboard.press("ArrowDown");
  await expect(properties.getByLabel("Name, row 2")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(properties.getByLabel("Value, row 2")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(properties.getByLabel("Value, row 1")).toBeFocused();
  await page.keyboard.type("pro");
  await expect(properties.getByLabel("Value, row 1")).toHaveValue("pro");
  await page.keyboard.press("ArrowRight");
  await expect(properties.getByRole("button", { name: "Type, row 1: text" })).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(properties.getByLabel("Value, row 1")).toBeFocused();
  // The caret first moves within a text.
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await expect(properties.getByLabel("Value, row 1")).toBeFocused();
  await expect(page.getByRole("region", { name: "Unsaved changes" })).toContainText(
    "1 unsaved change: plan free →to pro",
  );
});

test("one of 300 pasted properties is edited in place", { tag: "@release" }, async ({ page, environment }) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: { plan: "free" } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  const cells = Array.from({ length: 300 }, (_, index) => `key${index}\tvalue ${index}`).join("\n");
  await pasteCells(properties.getByRole("button", { name: "Add row" }), cells);
  await expect(properties.getByLabel("Value, row 301")).toHaveValue("value 299");
  await properties.getByLabel("Value, row 150").focus();
  await page.keyboard.press("End");
  await page.keyboard.type(" and more", { delay: 50 });
  await expect(properties.getByLabel("Value, row 150")).toHaveValue(/ and more$/);
  await expect(properties.getByLabel("Value, row 149")).toHaveValue("value 147");
});

test("JSON is formatted when it opens, and lists three problems above the editor, clear of the save bar", {
  tag: "@release",
}, async ({ page, environment }) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: { plan: "free", seats: 2 } });
  await page.setViewportSize({ width: 768, height: 900 });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  await properties.getByRole("radio", { name: "JSON" }).check();
  await expect(properties.locator(".cm-line")).toHaveText(["{", '  "plan": "free",', '  "seats": 2', "}"]);
  const bar = page.getByRole("region", { name: "Unsaved changes" });
  await expect(bar).toHaveCount(0);
  await typeInto(properties.getByRole("textbox"), '{\n  "a": one,\n  "b": 2 "c": 3,\n  "d": [1,]\n}');
  const problems = properties.getByRole("button", { name: /^Line \d/ });
  await expect(problems).toHaveText([/^Line 2/, /^Line 3: a comma is missing/, /^Line 4/]);
  await expect(bar).toContainText("3 problems: Properties, line 2: put names and text in double quotes");
  await expect(bar).not.toContainText("removed");
  const [list, editor, foot] = await Promise.all(
    [problems.last(), properties.locator(".cm-editor"), bar].map((one) => one.boundingBox()),
  );
  if (!list || !editor || !foot) throw new Error("not rendered");
  expect(list.y + list.height).toBeLessThanOrEqual(editor.y);
  expect(list.y + list.height).toBeLessThanOrEqual(foot.y);
  // A link that is too long is truncated rather than hidden.
  await page.setViewportSize({ width: 640, height: 900 });
  const link = await bar.getByRole("button", { name: /^Properties, line 2/ }).boundingBox();
  const discard = await bar.getByRole("button", { name: "Discard" }).boundingBox();
  expect(Number(link?.x) + Number(link?.width)).toBeLessThan(Number(discard?.x));
  await properties.getByRole("radio", { name: "Table" }).check();
  await expect(properties.getByText(/^Fix the JSON to see it as a table\. Line 2/)).toBeVisible();
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(properties.getByRole("button", { name: "Go to the error" })).toBeFocused();
});

test("JSON lists every problem with a link to its place, and objects fold", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const { team_id } = await environment.createGroup({ name: "Acme", properties: { plan: { tier: "pro" } } });
  await page.goto(`/${environment.slug}/groups/${team_id}`);
  const properties = sheet(page, "Properties");
  await properties.getByRole("radio", { name: "JSON" }).check();
  const editor = properties.getByRole("textbox");
  await typeInto(editor, '{\n  "a": 1,\n  "a": 2,\n  "big": 9007199254740993\n}');
  const problems = properties.getByRole("button", { name: /^Line \d/ });
  await expect(problems).toHaveCount(2);
  await expectAccessible(page);
  await problems.filter({ hasText: "Line 4" }).click();
  await expect(editor).toBeFocused();
  await expect(properties.locator(".cm-activeLine")).toContainText("big");

  await typeInto(editor, '{\n  "plan": {\n    "tier": "pro"\n  }\n}');
  await expect(problems).toHaveCount(0);
  await properties.locator(".cm-foldGutter").getByText("⌄").nth(1).click();
  await expect(editor).not.toContainText("tier");
  await expect(editor).toContainText("…");
  await expectAccessible(page);
});
