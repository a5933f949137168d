import type { Page } from "@playwright/test";
import { clipboard } from "../fixtures/browser";
import { expect, names, table, test } from "../fixtures/list";

const said = (page: Page) => page.locator("[data-announcer]");
const focusedRow = (page: Page) => table(page).locator("tr:focus-within");

test.beforeEach(({ context }) => context.grantPermissions(["clipboard-read", "clipboard-write"]));

test("a row's token and embed configuration are copied in one click and recorded in the history", async ({
  page,
  environment,
}) => {
  const { token, team_id } = await environment.createGroup({ user_group_id: "a", name: "Alpha" });
  await environment.createGroup({ name: "Beta" });
  await page.goto(`/${environment.slug}/groups?sort=name`);
  const row = table(page).getByRole("row", { name: /Alpha/ });
  await row.hover();
  const copy = row.getByRole("button", { name: "Copy Token of Alpha" });
  await expect(copy).toBeInViewport({ ratio: 1 });
  await copy.click();
  await expect(copy).toContainText("Copied");
  await expect(said(page)).toHaveText("Copied token of Alpha");
  expect(await clipboard(page)).toBe(token);
  await row.getByRole("button", { name: "Copy Embed of Alpha" }).click();
  await expect(said(page)).toHaveText("Copied embed of Alpha");
  expect(await clipboard(page)).toBe(`<div data-user-group-token="${token}" data-user-group-id="a"></div>`);
  const { json } = await environment.call("GET", `/api/user-groups/history?team_id=${team_id}`);
  const actions = json.entries.map(({ action }: { action: string }) => action);
  expect(actions).toEqual(["user_group.token_copied", "user_group.token_copied", "user_group.created"]);
  expect(page.url()).not.toContain("ugt_");
});

test("the embed configuration uses the format chosen last", async ({ page, environment }) => {
  const { token } = await environment.createGroup({ user_group_id: "a", name: "Alpha" });
  await page.addInitScript(() => localStorage.setItem("embed-format", "dotenv"));
  await page.goto(`/${environment.slug}/groups`);
  await page.getByRole("button", { name: "Actions for Alpha" }).click();
  await page.getByRole("menuitem", { name: "Copy embed" }).click();
  await expect(said(page)).toHaveText("Copied embed of Alpha");
  expect(await clipboard(page)).toBe(`USER_GROUP_TOKEN=${token}\nUSER_GROUP_ID=a\n`);
});

test("by keyboard alone: arrow keys move, x selects, c and e copy, Enter opens", { tag: "@release" }, async ({
  page,
  environment,
}) => {
  const tokens = new Map<string, string>();
  for (const name of ["Alpha", "Beta", "Gamma"]) tokens.set(name, (await environment.createGroup({ name })).token);
  await page.goto(`/${environment.slug}/groups?sort=name`);
  await expect(names(page)).toHaveCount(3);
  await page.keyboard.press("ArrowDown");
  await expect(focusedRow(page)).toContainText("Alpha");
  await page.keyboard.press("ArrowDown");
  await expect(focusedRow(page)).toContainText("Beta");
  await page.keyboard.press("c");
  await expect(said(page)).toHaveText("Copied token of Beta");
  expect(await clipboard(page)).toBe(tokens.get("Beta"));
  await page.keyboard.press("e");
  await expect(said(page)).toHaveText("Copied embed of Beta");
  expect(await clipboard(page)).toContain(tokens.get("Beta"));
  await page.keyboard.press("x");
  await expect(page.getByLabel("Select Beta")).toBeChecked();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+X");
  await expect(page.getByRole("region", { name: "Selected groups" })).toContainText("2 selected");
  await page.keyboard.press("ArrowDown");
  await expect(focusedRow(page)).toContainText("Gamma");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("x");
  await expect(page.getByLabel("Select Beta")).not.toBeChecked();
  // A row's buttons follow its name.
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Copy Token of Beta" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(said(page)).toHaveText("Copied token of Beta");
  await names(page).nth(1).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Beta" })).toBeVisible();
});

test("keys do nothing while typing, and a failed copy leaves the clipboard unchanged", async ({
  page,
  environment,
}) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await page.evaluate(() => navigator.clipboard.writeText("mine"));
  await page.getByRole("searchbox").fill("");
  await page.keyboard.type("cex");
  await expect(page.getByRole("region", { name: "Selected groups" })).toHaveCount(0);
  await page.getByRole("searchbox").fill("");
  await expect(names(page)).toHaveCount(1);
  await page.route("**/api/user-groups/token", (route) => route.abort());
  await names(page).first().focus();
  await page.keyboard.press("c");
  await expect(page.getByRole("region", { name: "Notifications" })).toContainText("The token was not copied");
  expect(await clipboard(page)).toBe("mine");
});

test.describe("in Production", () => {
  test.use({ tag: "Customer" });

  test("tokens of selected groups are copied as lines, after a confirmation", async ({ page, environment }) => {
    const tokens: string[] = [];
    for (const id of ["a", "b"]) tokens.push((await environment.createGroup({ user_group_id: id })).token);
    await page.goto(`/${environment.slug}/groups?sort=id`);
    await page.getByLabel("Select all on this page").check();
    await page.getByRole("button", { name: "Copy tokens" }).click();
    const dialog = page.getByRole("dialog", { name: "Copy the tokens of 2 user groups?" });
    await expect(dialog).toContainText(environment.name);
    await dialog.getByRole("button", { name: "Copy tokens" }).click();
    await expect(page.getByRole("region", { name: "Notifications" })).toContainText("Copied 2 tokens");
    expect(await clipboard(page)).toBe(`a\t${tokens[0]}\nb\t${tokens[1]}\n`);
  });
});

test.describe("a viewer", () => {
  test.use({ role: "viewer" });

  test("cannot copy tokens", async ({ page, environment }) => {
    await environment.createGroup({ name: "Alpha" });
    await page.goto(`/${environment.slug}/groups`);
    await page.evaluate(() => navigator.clipboard.writeText("mine"));
    await names(page).first().focus();
    await page.keyboard.press("c");
    await expect(table(page).getByRole("button", { name: /^Copy \w+ of/ })).toHaveCount(0);
    await page.keyboard.press("x");
    await expect(page.getByRole("region", { name: "Selected groups" })).toContainText("1 selected");
    await expect(page.getByRole("button", { name: "Copy tokens" })).toHaveCount(0);
    expect(await clipboard(page)).toBe("mine");
  });
});
