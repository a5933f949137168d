import type { TestEnvironment } from "../fixtures/browser";
import {
  expect,
  expectAccessible,
  expectNoSidewaysScrolling,
  type Page,
  test,
  toasts,
  typeInto,
} from "../fixtures/browser";

const sheet = (page: Page, name: string) => page.getByRole("group", { name, exact: true });
const choices = (page: Page) => page.getByRole("listbox", { name: "Completions" });
const options = (page: Page) => choices(page).getByRole("option");

const DEFINITIONS = {
  properties: {
    seats: { type: "integer", default: 5 },
    plan: { type: "string", required: true, enum: ["free", "pro"], description: "What they pay for" },
    active: { type: "boolean" },
    tags: { type: "string[]", enum: ["eu", "new here"] },
    region: { type: "string", enum: ["us", "eu"], default: "eu" },
  },
  schemas: { 40: { name: "Orders", required: true }, 134: { name: "Traffic" } },
  data_sources: {
    213: { name: "Orders EU", schemas: ["40"] },
    214: { name: "Orders US", schemas: ["40"] },
    386: { name: "Visits", schemas: ["134"] },
  },
  enforcement: "report",
};

const define = async ({ call }: TestEnvironment, body: object = DEFINITIONS) => {
  const { status, text } = await call("PUT", "/api/definitions", { body });
  expect(status, text).toBe(200);
};

/** A new group's editor, as JSON. */
async function openEditor(page: Page, environment: TestEnvironment, name: string) {
  const group = await environment.createGroup({ mapping: {}, properties: {} });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await sheet(page, name).getByText("JSON", { exact: true }).click();
  const editor = sheet(page, name).getByRole("textbox");
  await expect(editor).toHaveClass(/cm-content/);
  return { editor, group };
}

/** Waits for the list, which ignores keys pressed too soon after it opened. */
async function waitForList(page: Page) {
  await expect(choices(page)).toBeVisible();
  await page.evaluate(() => new Promise((done) => setTimeout(done, 100)));
}

async function pressInList(page: Page, key: string) {
  await waitForList(page);
  await page.keyboard.press(key);
}

test("keys and values are completed by keyboard, and all other text is kept", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await define(environment);
  const { editor, group } = await openEditor(page, environment, "Properties");
  await typeInto(editor, '{\n  "rate": 1.50,\n  "limit": 1e2\n  \n}');
  await editor.press("ArrowUp");
  await editor.press("End");
  await page.keyboard.type('"');
  await expect(options(page)).toHaveText([
    "planstring · Required",
    "seatsinteger · Default: 5",
    "activeboolean",
    "tagsstring[]",
    "regionstring · Default: eu",
  ]);
  await expect(options(page).first()).toHaveAccessibleDescription("What they pay for");
  await expect(editor).toHaveAttribute("aria-activedescendant", (await options(page).first().getAttribute("id")) ?? "");
  await expectAccessible(page);

  await pressInList(page, "Enter");
  await expect(editor).toContainText('"limit": 1e2,  "plan": }');
  await expect(options(page)).toHaveText(['"free"', '"pro"']);
  await pressInList(page, "ArrowDown");
  await pressInList(page, "Enter");
  await page.keyboard.type(",\n");
  await page.keyboard.type('"ac');
  await expect(options(page)).toHaveText(["activeboolean"]);
  await pressInList(page, "Tab");
  await expect(options(page)).toHaveText(["true", "false"]);
  await page.keyboard.type("f");
  await expect(options(page)).toHaveText(["false"]);
  await pressInList(page, "Enter");
  await page.keyboard.type(',\n"ta');
  await pressInList(page, "Enter");
  await page.keyboard.type('"her');
  await expect(options(page)).toHaveText(['"new here"']);
  await pressInList(page, "Enter");
  await expect(choices(page)).toHaveCount(0);
  await page.getByRole("region", { name: "Unsaved changes" }).getByRole("button", { name: "Save" }).click();
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  const { text } = await environment.call("GET", `/api/user-groups?user_group_id=${group.provided_id}`);
  expect(text).toContain('"properties":{"rate":1.50,"limit":1e2,"plan":"pro","active":false,"tags":["new here"]}');
});

test("a value is replaced on request, and Escape, Enter and Tab keep their meaning when no list is open", {
  tag: "@release",
}, async ({ page, environment }) => {
  await define(environment);
  const { editor } = await openEditor(page, environment, "Properties");
  await typeInto(editor, '{"region": "us", "seats": ');
  await editor.press("ControlOrMeta+Home");
  for (let n = 0; n < 13; n++) await editor.press("ArrowRight");
  await editor.press("Control+Space");
  await expect(options(page)).toHaveText(['"us"', '"eu"Default']);
  await page.keyboard.press("Escape");
  await expect(choices(page)).toHaveCount(0);
  await expect(editor).toBeFocused();
  await editor.press("Control+Space");
  await pressInList(page, "ArrowDown");
  await pressInList(page, "Enter");
  await expect(editor).toHaveText('{"region": "eu", "seats": ');

  await editor.press("ControlOrMeta+End");
  await editor.press("Control+Space");
  await expect(options(page)).toHaveText(["5Default"]);
  await page.keyboard.type("5,\n");
  await expect(choices(page)).toHaveCount(0);
  await page.keyboard.type('"plan": "free",\n"x": "y"\n}');
  expect(JSON.parse((await editor.textContent()) ?? "")).toEqual({ region: "eu", seats: 5, plan: "free", x: "y" });
  await expect(choices(page)).toHaveCount(0);
  await editor.press("ControlOrMeta+Home");
  await editor.press("ArrowRight");
  await editor.press("Control+Space");
  await expect(options(page)).toHaveText(["activeboolean", "tagsstring[]"]);
  await pressInList(page, "Enter");
  await expect(editor).toContainText('{"active": ,"region"');
  await editor.press("Escape");
  await editor.press("ControlOrMeta+z");
  await expect(editor).toContainText('{"region"');
  await editor.press("Tab");
  await expect(editor).not.toBeFocused();
});

test("a mapping completes schemas by name, and the data sources allowed for each", {
  tag: "@release",
}, async ({ page, environment }) => {
  await define(environment);
  const { editor, group } = await openEditor(page, environment, "Mapping");
  await typeInto(editor, "{}");
  await editor.press("ArrowLeft");
  await page.keyboard.type('"');
  await expect(options(page)).toHaveText(["40Orders · Required", "134Traffic"]);
  await page.keyboard.type("traf");
  await expect(options(page)).toHaveText(["134Traffic"]);
  for (let n = 0; n < 4; n++) await page.keyboard.press("Backspace");
  await expect(options(page)).toHaveText(["40Orders · Required", "134Traffic"]);
  await waitForList(page);
  await options(page).first().click();
  await expect(options(page)).toHaveText(['"213"Orders EU', '"214"Orders US']);
  await page.keyboard.type('"us');
  await expect(options(page)).toHaveText(['"214"Orders US']);
  await pressInList(page, "Enter");
  await expect(editor).toHaveText('{"40": "214"}');
  await page.keyboard.press("ControlOrMeta+s");
  await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
  const { json } = await environment.call("GET", `/api/user-groups?user_group_id=${group.provided_id}`);
  expect(json.user_groups[0].mapping).toEqual({ 40: "214" });
});

test("hostile and long names are completed unchanged, and fit a phone", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const long = "w".repeat(255);
  const hostile = `"</script><b>{{plan}}\\`;
  const info = `${"One ".repeat(200)}<img src=x onerror=alert(1)>`;
  const values = [`${hostile}:1`, "x".repeat(300)];
  await define(environment, {
    properties: { [hostile]: { type: "string", enum: values, description: info }, [long]: { type: "object" } },
    enforcement: "enforce",
  });
  await page.setViewportSize({ width: 320, height: 640 });
  const { editor } = await openEditor(page, environment, "Properties");
  await typeInto(editor, "{}");
  await editor.press("ArrowLeft");
  await page.keyboard.type('"');
  await expect(options(page)).toHaveText([`${hostile}string`, `${long}object`]);
  await expect(options(page).first()).toHaveAccessibleDescription(/<img src=x onerror=alert\(1\)>$/);
  await expectNoSidewaysScrolling(page);
  await expectAccessible(page);
  await pressInList(page, "Enter");
  await expect(options(page)).toHaveText(values.map((value) => JSON.stringify(value)));
  await pressInList(page, "Enter");
  await expect(editor).toHaveText(JSON.stringify({ [hostile]: values[0] }).replace('":"', '": "'));
  await page.keyboard.type(', "w');
  await pressInList(page, "Enter");
  await page.keyboard.type('"a": 1');
  expect(JSON.parse((await editor.textContent()) ?? "")).toEqual({ [hostile]: values[0], [long]: { a: 1 } });
});

test("without definitions nothing is completed", async ({ page, environment }) => {
  await define(environment, { ...DEFINITIONS, enforcement: "off" });
  const { editor } = await openEditor(page, environment, "Properties");
  await typeInto(editor, "{}");
  await editor.press("ArrowLeft");
  await page.keyboard.type('"');
  await editor.press("Control+Space");
  await expect(editor).toHaveText('{"}');
  await expect(editor).not.toHaveAttribute("aria-autocomplete");
  await expect(choices(page)).toHaveCount(0);
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });
  test("reads JSON, and completes nothing", { tag: "@release" }, async ({ page, environment }) => {
    await define(environment);
    const { editor } = await openEditor(page, environment, "Properties");
    await editor.focus();
    await editor.press("Control+Space");
    await expect(editor).not.toHaveAttribute("aria-autocomplete");
    await expect(choices(page)).toHaveCount(0);
  });
});
