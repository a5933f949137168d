import type { Locator, Page } from "@playwright/test";
import { expect, expectAccessible, test, toasts, typeInto } from "../fixtures/browser";

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
