import type { Locator, Page } from "@playwright/test";
import { tabTo } from "../fixtures/browser";
import { expect, names, searchBox, test } from "../fixtures/list";

const palette = (page: Page) => page.getByRole("dialog", { name: "Search and commands" });

test("the first Tab stop skips the navigation", async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(1);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeInViewport();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Import" })).toBeFocused();
});

test("/ searches, n creates a group, ? lists the keys, and none of them acts while typing", {
  tag: "@release",
}, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(1);
  await page.keyboard.press("/");
  await expect(searchBox(page)).toBeFocused();
  await page.keyboard.type("n/?");
  await expect(searchBox(page)).toHaveValue("n/?");
  await page.keyboard.press("Escape");
  await expect(searchBox(page)).toHaveValue("");
  await expect(names(page)).toHaveCount(1);
  await tabTo(page, page.getByRole("button", { name: "Filter", exact: true }));
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(help).toContainText("Search the list");
  await page.keyboard.press("n");
  await expect(help).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(help).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Filter", exact: true })).toBeFocused();
  await page.keyboard.press("n");
  await expect(page).toHaveURL(`/${environment.slug}/groups/new`);
  await expect(page.getByLabel("Id", { exact: true })).toBeFocused();
});

test("the palette opens groups, pages and environments, and changes the theme", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup({ user_group_id: "acme-1", name: "Acme GmbH" });
  await page.goto(`/${environment.slug}/groups/999999`);
  await expect(page.getByRole("button", { name: `Environment: ${environment.name}` })).toBeVisible();
  const choose = async (text: string, label: string) => {
    await page.keyboard.press("Control+k");
    await expect(palette(page).getByRole("combobox")).toBeFocused();
    await page.keyboard.type(text);
    await expect(palette(page).getByRole("option", { name: label }).first()).toHaveAttribute("data-highlighted", "");
    await page.keyboard.press("Enter");
    await expect(palette(page)).toHaveCount(0);
  };
  await choose("cme-1", "Acme GmbH");
  await expect(page).toHaveURL(`/${environment.slug}/groups/${group.team_id}`);
  await choose("groups", "Groups");
  await expect(page).toHaveURL(`/${environment.slug}/groups`);
  await choose("dark", "Dark theme");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await choose("create user", "Create user group");
  await expect(page).toHaveURL(`/${environment.slug}/groups/new`);
  await choose("to produ", "Switch to Production");
  await expect(page).toHaveURL("/production/groups");
  await expect(page.getByRole("button", { name: "Environment: Production" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(palette(page).getByRole("combobox")).toBeFocused();
  await page.keyboard.type("shortc");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
});

test("Enter never opens a result of an earlier search", { tag: "@release" }, async ({ page, environment }) => {
  await environment.createGroup({ user_group_id: "acme-1", name: "Acme GmbH" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveText(["Acme GmbH"]);
  await page.route("**/api/user-groups?*search=*", () => new Promise(() => undefined));
  await page.keyboard.press("Control+k");
  await expect(palette(page).getByRole("combobox")).toBeFocused();
  await page.keyboard.type("create user");
  await expect(palette(page).getByRole("option")).toHaveText([/Create user group/]);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/${environment.slug}/groups/new`);
});

test("the arrow keys move through the palette", { tag: "@release" }, async ({ page }) => {
  await page.goto("/testing/groups/999999");
  await expect(page.getByText("No such user group in Testing.")).toBeVisible();
  await page.keyboard.press("/");
  const highlighted = palette(page).locator("[data-highlighted]");
  await expect(highlighted).toHaveText("Groups");
  await page.keyboard.press("ArrowDown");
  await expect(highlighted).toHaveText("Activity");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/testing/groups");
});

test("Esc closes only the topmost layer", { tag: "@release" }, async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await page.getByRole("button", { name: "Rotate…" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Rotate the token of “Alpha”?" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(palette(page).getByRole("combobox")).toBeFocused();
  await page.keyboard.type("x");
  await page.keyboard.press("Escape");
  await expect(palette(page)).toHaveCount(0);
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Rotate…" })).toBeFocused();
});

test("the focus returns to the opener of a dialog, menu or popover", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const group = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(1);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  for (const name of [
    "Filter",
    "Columns",
    "More",
    "Sort: Last updated",
    "Theme",
    "Your account",
    `Environment: ${environment.name} Testing`,
    "Search and commands",
    "Actions for Alpha",
  ]) {
    await test.step(name, async () => {
      await button(name).press("Enter");
      await expect(page.locator('[role="dialog"], [role="menu"]').first()).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.locator('[role="dialog"], [role="menu"]')).toHaveCount(0);
      await expect(button(name)).toBeFocused();
    });
  }
  const openMenu = async (name: string) => {
    await button(name).press("Enter");
    // The menu accepts keys once it has the focus.
    await expect(page.getByRole("menuitem").first()).toBeFocused();
    await page.keyboard.press("End");
    await expect(page.getByRole("menuitem").last()).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("dialog", { name: "Delete “Alpha”?" })).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(button(name)).toBeFocused();
  };
  await openMenu("Actions for Alpha");
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await openMenu("More actions");
  await searchFrom(page);
});

test("Tab stays in a popover and leaves a menu, and Esc returns the focus from both", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await environment.createGroup();
  await page.goto(`/${environment.slug}/groups`);
  const [filter, theme] = [
    page.locator("button:visible", { hasText: /^Filter$/ }),
    page.locator('button[aria-label="Theme"]'),
  ];
  await filter.press("Enter");
  const popover = page.getByRole("dialog", { name: "Filter by a property" });
  await expect(popover.getByLabel("Property", { exact: true })).toBeFocused();
  for (let press = 0; press < 6; press++) {
    await page.keyboard.press("Tab");
    await expect(popover.locator(":focus")).toHaveCount(1);
  }
  await page.keyboard.press("Escape");
  await expect(popover).toHaveCount(0);
  await expect(filter).toBeFocused();

  for (const [key, first] of [
    ["Enter", "Light"],
    ["ArrowDown", "Light"],
  ] as const) {
    await theme.press(key);
    await expect(page.getByRole("menuitemradio", { name: first })).toBeFocused();
    await page.keyboard.press("d");
    await expect(page.getByRole("menuitemradio", { name: "Dark" })).toBeFocused();
    await page.keyboard.press("Tab");
    await expect(page.getByRole("menu")).toHaveCount(0);
    await expect(theme).toBeFocused();
  }
  await theme.click();
  await expect(page.getByRole("menu")).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitemradio", { name: "Light" })).toBeFocused();
  await page.mouse.click(...(await middleOf(theme)));
  await expect(page.getByRole("menu")).toHaveCount(0);
  await page.mouse.click(...(await middleOf(filter)));
  await expect(popover).toBeVisible();
  await page.mouse.click(...(await middleOf(filter)));
  await expect(popover).toHaveCount(0);
});

test("the focus moves to the new page when the focused element disappears", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("button", { name: /^Environment: / }).press("Enter");
  await page.getByRole("menuitemradio", { name: "Production" }).press("Enter");
  await expect(page).toHaveURL("/production/groups");
  await expect(page.locator(":focus")).toHaveCount(1);
  await page.goto(`/${environment.slug}/groups/new`);
  await page.getByLabel("Id", { exact: true }).fill("new-by-key");
  await page.getByLabel("Name", { exact: true }).fill("New by key");
  await page.keyboard.press("Control+s");
  await expect(page.getByRole("heading", { name: "New by key", exact: true })).toBeVisible();
  await expect(page.getByRole("main")).toBeFocused();
});

async function middleOf(element: Locator): Promise<[number, number]> {
  const box = await element.boundingBox();
  if (!box) throw new Error("there is nothing to click on");
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** The palette returns the focus to a field in use. */
async function searchFrom(page: Page) {
  await page.getByLabel("Name", { exact: true }).focus();
  await page.keyboard.press("Control+k");
  await expect(palette(page).getByRole("combobox")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused();
}

test("a row of the list is selected and opened by keyboard", { tag: "@release" }, async ({ page, environment }) => {
  const group = await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await tabTo(page, page.getByLabel("Select Alpha"));
  await page.keyboard.press("Space");
  await expect(page.getByRole("region", { name: "Selected groups" })).toContainText("1 selected");
  await tabTo(page, names(page).first());
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`/${environment.slug}/groups/${group.team_id}`);
});
