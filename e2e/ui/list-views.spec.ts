import type { Page } from "@playwright/test";
import { createGroup } from "../fixtures/api";
import { expectAccessible, type TestEnvironment } from "../fixtures/browser";
import { addFilter, expect, expectParameter, names, searchBox, table, test } from "../fixtures/list";

const views = (page: Page) => page.getByRole("navigation", { name: "Views" });
const view = (page: Page, name: string) => views(page).getByRole("link", { name });
const open = (page: Page, { slug }: TestEnvironment) => page.goto(`/${slug}/groups?sort=name`);

test("tabs filter the list by use, with counts that follow changes", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const days = { Used: 1, Idle: 60, Never: undefined, Paused: 2 };
  for (const [name, ago] of Object.entries(days)) {
    const { team_id } = await environment.createGroup({ user_group_id: name, name });
    if (ago === undefined) continue;
    const set = "UPDATE group_use SET last_used_at = now() - $2 * interval '1 day' WHERE team_id = $1";
    await database.query(set, [team_id, ago]);
  }
  await environment.call("POST", "/api/user-groups/suspend", { body: { user_group_id: "Paused" } });
  await open(page, environment);
  await expect(view(page, "All")).toHaveAttribute("aria-current", "page");
  for (const [tab, name] of [
    ["In use", "Used"],
    ["Idle", "Idle"],
    ["Never used", "Never"],
    ["Suspended", "Paused"],
  ] as const) {
    await view(page, `${tab} 1`).click();
    await expect(names(page)).toHaveText([name]);
    await expect(view(page, tab)).toHaveAttribute("aria-current", "page");
    await expect(page.getByRole("list", { name: "Filters" })).toHaveCount(0);
  }
  await page.reload();
  await expect(names(page)).toHaveText(["Paused"]);
  await page.getByRole("button", { name: "Actions for Paused" }).click();
  await page.getByRole("menuitem", { name: "Resume…" }).click();
  await page.getByRole("button", { name: "Resume", exact: true }).click();
  await expect(view(page, "Suspended 0")).toBeVisible();
  await view(page, "In use 2").click();
  await expect(names(page)).toHaveText(["Paused", "Used"]);
  await page.goBack();
  await expect(page.getByRole("heading", { name: /^No group in .* matches/ })).toBeVisible();
  await view(page, "All").click();
  await expect(names(page)).toHaveCount(4);
});

test("a list is pinned as a view and removed, in this browser and environment", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await environment.createGroup({ name: "Alpha", properties: { plan: "pro" } });
  await environment.createGroup({ name: "Beta" });
  await open(page, environment);
  await addFilter(page, "plan", "pro");
  await expect(names(page)).toHaveText(["Alpha"]);
  await page.getByRole("button", { name: "Pin view" }).click();
  const popover = page.getByRole("dialog", { name: "Pin view" });
  await popover.getByLabel("Name").fill("Paying");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(view(page, "Paying")).toHaveAttribute("aria-current", "page");
  await expect(page.getByRole("button", { name: "Pin view" })).toHaveCount(0);
  await view(page, "All").click();
  await expect(names(page)).toHaveCount(2);
  await expectParameter(page, "filter", null);
  await page.reload();
  await view(page, "Paying").click();
  await expect(names(page)).toHaveText(["Alpha"]);
  await createGroup();
  await page.goto("/testing/groups");
  await expect(view(page, "All")).toBeVisible();
  await expect(view(page, "Paying")).toHaveCount(0);
  await page.goBack();
  await page.getByRole("button", { name: "Remove view" }).click();
  await expect(view(page, "Paying")).toHaveCount(0);
  await expect(names(page)).toHaveText(["Alpha"]);
});

test("filters have operators, suggest existing values, and can be edited", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  for (const [name, properties] of [
    ["Alpha", { plan: "pro", seats: 10 }],
    ["Beta", { plan: "free", seats: 50 }],
    ["Gamma", { plan: "pro trial", code: "7" }],
    ["Delta", {}],
  ] as const) {
    await environment.createGroup({ name, properties });
  }
  await open(page, environment);
  const popover = page.getByRole("dialog", { name: "Filter by a property" });
  const chips = page.getByRole("list", { name: "Filters" }).getByRole("listitem");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await expect(popover.getByRole("list", { name: "Properties" }).getByRole("button")).toHaveText([
    "State",
    "Last used",
    "plan75%",
    "seats50%",
    "code25%",
  ]);
  await popover.getByRole("button", { name: "plan" }).click();
  const operators = popover.getByRole("list", { name: "Choices" }).getByRole("button");
  await expect(operators).toHaveText(["is", "is not", "contains", ">", "<", "is missing"]);
  await operators.first().click();
  await expect(popover.getByLabel("Value", { exact: true })).toBeFocused();
  await popover.getByRole("list", { name: "Values" }).getByRole("button", { name: "free" }).click();
  await expect(names(page)).toHaveText(["Beta"]);

  const change = async (chip: string, operator: string, value: string) => {
    await page.getByRole("button", { name: `Change filter ${chip}` }).click();
    const editor = page.getByRole("dialog", { name: `Filter ${chip}` });
    await editor.getByRole("button", { name: /^Change operator / }).click();
    await editor.getByRole("button", { name: operator, exact: true }).click();
    if (value !== "") {
      await editor.getByLabel("Value", { exact: true }).fill(value);
      await editor.getByRole("button", { name: "Change filter", exact: true }).click();
    }
    await expect(editor).toBeHidden();
  };
  await change("plan is free", "is not", "free");
  await expect(names(page)).toHaveText(["Alpha", "Delta", "Gamma"]);
  await change("plan is not free", "contains", "pro");
  await expect(names(page)).toHaveText(["Alpha", "Gamma"]);
  await change("plan contains pro", "is missing", "");
  await expect(chips).toHaveText(["plan is missing"]);
  await expect(names(page)).toHaveText(["Delta"]);
  await page.getByRole("button", { name: "Remove filter plan is missing" }).click();
  await addFilter(page, "seats", "50");
  await change("seats is 50", ">", "10");
  await expect(names(page)).toHaveText(["Beta"]);
  await change("seats > 10", "<", "50");
  await expect(names(page)).toHaveText(["Alpha"]);
  await expectParameter(page, "filter", "seats:lt:50");
  await page.getByRole("button", { name: "Change filter seats < 50" }).click();
  const editor = page.getByRole("dialog", { name: "Filter seats < 50" });
  await editor.getByLabel("Value", { exact: true }).fill("abc");
  await editor.getByRole("button", { name: "Change filter", exact: true }).click();
  await expect(editor.getByRole("alert")).toHaveText("seats is a number: enter one.");
  // Digits stay a string if groups have them as strings.
  await page.goto(`/${environment.slug}/groups`);
  await expect(view(page, "Never used 4")).toBeVisible();
  await addFilter(page, "code", "7");
  await expect(names(page)).toHaveText(["Gamma"]);
});

test("a filter is added, changed and refused by keyboard alone", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha", properties: { plan: "pro", planned: true } });
  await environment.createGroup({ name: "Beta", properties: { plan: "free" } });
  await environment.createGroup({ name: "Gamma" });
  await open(page, environment);
  const { keyboard } = page;
  const focused = page.locator(":focus");
  await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
  await expect(focused).toHaveAccessibleName("Property");
  await keyboard.type("plan");
  await keyboard.press("Enter");
  await expect(focused).toHaveText("is");
  await keyboard.press("Enter");
  await expect(focused).toHaveAccessibleName("Value");
  await keyboard.press("Backspace");
  await expect(focused).toHaveText("is");
  await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await expect(focused).toHaveAccessibleName("Value");
  await keyboard.press("ArrowDown");
  await expect(focused).toHaveText(/^free/);
  await expectAccessible(page);
  await keyboard.press("Enter");
  await expect(names(page)).toHaveText(["Alpha", "Gamma"]);
  await page.getByRole("button", { name: "Change filter plan is not free" }).press("Enter");
  await expect(focused).toHaveAccessibleName("Value");
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type("pro");
  await keyboard.press("Enter");
  await expect(names(page)).toHaveText(["Beta", "Gamma"]);
  await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
  await keyboard.type("sta");
  await keyboard.press("Enter");
  await expect(focused).toHaveText("Active");
  await keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Filter", exact: true })).toBeFocused();
});

test("columns are those of most groups, whatever the first rows have", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  for (const name of ["Alpha", "Beta", "Gamma"]) {
    await environment.createGroup({ name, properties: { plan: "pro", region: "eu", seats: 3, tags: ["a"] } });
  }
  await environment.createGroup({ name: "Zeta", properties: { zone: "z", plan: "pro" } });
  await page.setViewportSize({ width: 1440, height: 900 });
  const heads = table(page).getByRole("columnheader");
  const usual = ["Select all on this page", "Name", "Id", "plan", "region", "seats", "Last used", "Updated", "Actions"];
  for (const query of ["sort=-name", "search=zeta"]) {
    await page.goto(`/${environment.slug}/groups?${query}`);
    await expect(names(page).first()).toHaveText("Zeta");
    await expect(heads).toHaveText(usual);
  }
});

test("columns are chosen and ordered, and remembered in this browser and environment", { tag: "@release" }, async ({
  page,
  environment,
  database,
}) => {
  const { team_id } = await environment.createGroup({
    name: "Alpha",
    properties: { plan: "pro", seats: 10, region: "eu", beta: true },
  });
  await database.query(
    `INSERT INTO group_use_month (month, team_id, environment_id, checks, size, days, active_viewers)
     SELECT date_trunc('month', now() AT TIME ZONE 'UTC'), team_id, environment_id, 1, 0, '{1}', 1
     FROM user_group WHERE team_id = $1`,
    [team_id],
  );
  await environment.createGroup({ name: "Beta", properties: { plan: "free", seats: 7, region: "us" } });
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(page, environment);
  const heads = table(page).getByRole("columnheader");
  const expectColumns = (...labels: string[]) =>
    expect(heads).toHaveText(["Select all on this page", "Name", ...labels, "Actions"]);
  await expectColumns("Id", "plan", "region", "seats", "Last used", "Updated");
  const seats = table(page).getByRole("row", { name: /Alpha/ }).getByRole("cell", { name: "10", exact: true });
  await expect(seats).toHaveCSS("text-align", "right");
  await page.getByRole("button", { name: "Columns" }).click();
  const popover = page.getByRole("dialog", { name: "Columns" });
  await popover.getByRole("checkbox", { name: "region" }).uncheck();
  await popover.getByRole("button", { name: "Move plan up" }).press("Enter");
  await expect(popover.getByRole("button", { name: "Move plan up" })).toBeDisabled();
  await expect(popover.getByRole("button", { name: "Move plan up" })).toBeFocused();
  await popover.getByRole("button", { name: "Move plan down" }).press("Enter");
  await popover.getByLabel("Find a property").fill("bet");
  await popover.getByRole("list", { name: "Other columns" }).getByRole("checkbox", { name: "beta" }).click();
  await popover.getByRole("button", { name: "Move beta up" }).click();
  await popover.getByLabel("Find a property").fill("viewers");
  await popover.getByRole("checkbox", { name: "Active viewers" }).click();
  await page.keyboard.press("Escape");
  await expectColumns("Id", "plan", "seats", "Last used", "beta", "Updated", "Active viewers");
  await page.reload();
  await expectColumns("Id", "plan", "seats", "Last used", "beta", "Updated", "Active viewers");
  const viewers = table(page).getByRole("row", { name: /Alpha/ }).getByRole("cell", { name: "1", exact: true });
  await expect(viewers).toHaveCSS("text-align", "right");
  await createGroup();
  await page.goto("/testing/groups");
  await expect(heads.first()).toBeAttached();
  await expect(heads.filter({ hasText: "beta" })).toHaveCount(0);
  await open(page, environment);
  await page.getByRole("button", { name: "Columns" }).click();
  await popover.getByRole("button", { name: "Reset columns" }).click();
  await page.keyboard.press("Escape");
  await expectColumns("Id", "plan", "region", "seats", "Last used", "Updated");
});

test("with 20,000 groups the list shows their number, pages by 50, and keeps header and footer in view", {
  tag: "@release",
}, async ({ page, environment, database }) => {
  test.slow();
  const size = 20_010;
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
     SELECT e.id, 'many-' || n, 'Many ' || to_char(n, 'FM00000'), CASE WHEN n % 3 = 0 THEN '{"plan":"pro"}' ELSE '{"plan":"free"}' END,
       sha256(convert_to(e.slug || n, 'UTF8')), decode(repeat('00', 91), 'hex')
     FROM environment e, generate_series(1, $2::int) AS n WHERE e.slug = $1`,
    [environment.slug, size],
  );
  await open(page, environment);
  const foot = page.getByRole("navigation", { name: "List pages" });
  await expect(foot).toContainText("1–50 of 20,010");
  await expect(view(page, "Never used 20,010")).toBeVisible();
  await expect(names(page).first()).toHaveText("Many 00001");
  await page.mouse.wheel(0, 1_000);
  await expect(table(page).getByRole("button", { name: "Name" })).toBeInViewport({ ratio: 1 });
  await expect(foot).toBeInViewport({ ratio: 1 });
  await foot.getByRole("button", { name: "Next" }).click();
  await expect(foot).toContainText("51–100 of 20,010");
  await expect(names(page).first()).toHaveText("Many 00051");
  await page.reload();
  await expect(foot).toContainText("51–100 of 20,010");
  await foot.getByRole("button", { name: "Prev" }).click();
  await expect(foot).toContainText("1–50 of 20,010");
  await searchBox(page).fill("many 1999");
  await expect(foot).toContainText("1–10 of 10");
  await expect(names(page)).toHaveCount(10);
});
