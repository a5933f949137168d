import type { Page } from "@playwright/test";
import { randomToken } from "@/lib/crypto/random-token";
import {
  expect,
  expectAccessible,
  holdRequests,
  type TestEnvironment,
  test,
  typeInto,
  withholdAnswers,
} from "../fixtures/browser";
import { expectReady, names, searchBox, typeProperty } from "../fixtures/list";

const LIST = "**/api/user-groups?*";

/** Opens the list of an environment with two groups. */
async function openList(page: Page, environment: TestEnvironment) {
  await environment.createGroup({ name: "Alpha", properties: { plan: "pro", seats: 10, region: "eu", beta: true } });
  await environment.createGroup({ name: "Beta" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(2);
}

/** Opens a new group. */
async function openGroup(page: Page, environment: TestEnvironment) {
  const group = await environment.createGroup({
    user_group_id: "alpha",
    name: "Alpha",
    mapping: { 40: "213", 41: { nested: [1] } },
    properties: { plan: "pro", seats: 10, beta: true, none: null },
  });
  await page.goto(`/${environment.slug}/groups/${group.team_id}`);
  await expect(page.getByRole("heading", { level: 1, name: "Alpha" })).toBeVisible();
  return group;
}

test.describe("axe finds no violations", () => {
  test.slow();

  test("on the list: full, filtered, selected, with a menu, the popover, a found token", {
    tag: "@release",
  }, async ({ page, environment }) => {
    await openList(page, environment);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Actions for Alpha" }).click();
    await expect(page.getByRole("menuitem", { name: "Copy id" })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Sort: Last updated" }).click();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    const popover = page.getByRole("dialog", { name: "Filter by a property" });
    await expect(popover).toBeVisible();
    await expectAccessible(page);
    await typeProperty(popover, "plan");
    await popover.getByLabel("Value", { exact: true }).fill("pro");
    await expectAccessible(page);
    await popover.getByRole("button", { name: "Add filter" }).click();
    await expect(names(page)).toHaveCount(1);
    await page.getByRole("button", { name: "Columns" }).click();
    await expect(page.getByRole("dialog", { name: "Columns" })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByLabel("Select Alpha").check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Property…" }).click();
    await expect(page.getByRole("dialog", { name: "Change a property of 1 user group" })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await searchBox(page).fill(randomToken("ugt_"));
    await expect(page.getByRole("main").getByText("No user group has this token now.")).toBeVisible();
    await expectAccessible(page);
  });

  test("on the list: loading, empty, without a match, failed", { tag: "@release" }, async ({ page, environment }) => {
    await withholdAnswers(page);
    const release = await holdRequests(page, LIST);
    await page.goto(`/${environment.slug}/groups`);
    await expect(page.getByRole("table", { name: "User groups" })).toBeVisible();
    await expectAccessible(page);
    release();
    await expect(page.getByRole("heading", { name: "From your customer to their dashboard" })).toBeVisible();
    await expectAccessible(page);
    await page.unroute(LIST);
    await page.goto(`/${environment.slug}/groups?search=nobody`);
    await expect(page.getByRole("heading", { name: /^No group in .* matches/ })).toBeVisible();
    await expectAccessible(page);
    await page.route(LIST, (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(`/${environment.slug}/groups`);
    await expect(page.getByRole("button", { name: "Try again" })).toBeVisible();
    await expectAccessible(page);
  });

  test("on deleting groups, and the undo toast", { tag: "@release" }, async ({ page, environment }) => {
    await openList(page, environment);
    await page.getByLabel("Select all on this page").check();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByLabel("Type delete 2 to confirm").fill("delete 2");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Delete 2 user groups" }).click();
    await expect(page.getByRole("button", { name: "Undo" })).toBeVisible();
    await expectAccessible(page);
  });

  test("on a new group: blank, with errors, as rows and as JSON, with an existing id", {
    tag: "@release",
  }, async ({ page, environment }) => {
    await environment.createGroup({ user_group_id: "taken", name: "Taken" });
    await page.goto(`/${environment.slug}/groups/new`);
    await expectReady(page);
    await expect(page.getByLabel("Id", { exact: true })).toBeFocused();
    await expectAccessible(page);
    const create = page.getByRole("button", { name: "Create user group" });
    await create.click();
    await expect(page.getByRole("alert").first()).toBeVisible();
    const mapping = page.getByRole("group", { name: "Mapping" });
    await mapping.getByRole("button", { name: "Add row" }).click();
    await mapping.getByLabel("Schema, row 1").fill("40");
    await mapping.getByRole("button", { name: "Add row" }).click();
    await mapping.getByLabel("Schema, row 2").fill("40");
    const properties = page.getByRole("group", { name: "Properties" });
    await properties.getByRole("radio", { name: "JSON" }).check();
    await typeInto(properties.locator(".cm-content"), '{"plan": 12345678901234567890, "a": }');
    await expect(properties.locator("[aria-live]:not(.cm-announced)")).not.toBeEmpty();
    await expectAccessible(page);
    await mapping.getByRole("radio", { name: "JSON" }).check();
    await expect(mapping.locator(".cm-content")).toBeVisible();
    await expectAccessible(page);
    await typeInto(mapping.locator(".cm-content"), "{}");
    await typeInto(properties.locator(".cm-content"), "null");
    await page.getByLabel("Id", { exact: true }).fill("taken");
    await page.getByLabel("Name", { exact: true }).fill("Another");
    await create.click();
    await expect(page.getByText("A user group with this id already exists")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Open that group" }).click();
    await expect(page.getByRole("dialog", { name: "Discard your changes?" })).toBeVisible();
    await expectAccessible(page);
  });

  test("on a group: its details, its embed configurations, its history, its token shown", { tag: "@release" }, async ({
    page,
    environment,
  }) => {
    await openGroup(page, environment);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Reveal token" }).click();
    await expect(page.getByRole("button", { name: "Hide token" })).toBeVisible();
    await page.getByLabel("Name", { exact: true }).fill("Alpha two");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("button", { name: /^Access: / }).click();
    await expect(page.getByRole("dialog", { name: "Access" })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Embed" }).click();
    await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("radio", { name: "JSON", exact: true }).check();
    await expectAccessible(page);
    await page.getByRole("tab", { name: "History" }).click();
    await expectAccessible(page);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await expect(page.getByRole("dialog", { name: "Delete “Alpha”?" })).toBeVisible();
    await expectAccessible(page);
  });

  test.describe("in Production", () => {
    test.use({ tag: "Customer" });

    test("on rotating a token: the question, the new token, a rotation by someone else", {
      tag: "@release",
    }, async ({ page, environment }) => {
      const group = await openGroup(page, environment);
      const rotate = page.getByRole("button", { name: "Rotate…" });
      await rotate.click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("radio", { name: "Now" }).check();
      await dialog.getByLabel("Type alpha to confirm").fill("alpha");
      await expectAccessible(page);
      const { status } = await environment.call("POST", "/api/user", { body: { current_token: group.token } });
      expect(status).toBe(200);
      await dialog.getByRole("button", { name: "Rotate token" }).click();
      await expect(dialog.getByRole("alert")).toContainText("It has been rotated since you opened this dialog.");
      await expectAccessible(page);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await expect(page.getByRole("region", { name: "User group token" })).toContainText("Rotated just now by e2e");
      await rotate.click();
      await dialog.getByRole("radio", { name: "Now" }).check();
      await dialog.getByLabel("Type alpha to confirm").fill("alpha");
      await dialog.getByRole("button", { name: "Rotate token" }).click();
      await expect(dialog).toContainText("The token was rotated");
      await expectAccessible(page);
    });
  });

  test("on a group edited by two members", { tag: "@release" }, async ({ page, environment }) => {
    await openGroup(page, environment);
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    const body = { user_group_id: "alpha", name: "Theirs", properties: { plan: "free" } };
    expect((await environment.call("PUT", "/api/user", { body })).status).toBe(200);
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("dialog")).toContainText("e2e saved this group");
    await expectAccessible(page);
  });
});
