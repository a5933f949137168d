import { expect, expectAccessible, test } from "../fixtures/browser";
import { names } from "../fixtures/list";

test.describe("axe finds no violations", () => {
  test.slow();

  test("on the palette: as opened, with groups, without a match, with a token", async ({ page, environment }) => {
    const group = await environment.createGroup({ user_group_id: "alpha", name: "Alpha" });
    await page.goto(`/${environment.slug}/groups`);
    await expect(names(page)).toHaveCount(1);
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    const box = palette.getByRole("combobox");
    await expect(palette.getByRole("option").first()).toBeVisible();
    await expectAccessible(page);
    await box.fill("alpha");
    await expect(palette.getByRole("option", { name: "Alpha" })).toBeVisible();
    await expectAccessible(page);
    await box.fill("nothing of the kind");
    await expect(palette.getByText("Nothing matches “nothing of the kind”.")).toBeVisible();
    await expectAccessible(page);
    await box.fill(group.token);
    await expect(palette.getByText("The current token of")).toBeVisible();
    await expectAccessible(page);
  });

  test("on the shortcuts, the header menus, the drawer", async ({ page, environment }) => {
    await page.goto(`/${environment.slug}/groups/999999`);
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    for (const name of ["Theme", "Your account", `Environment: ${environment.name}`]) {
      await page.getByRole("button", { name }).click();
      await expect(page.getByRole("menu")).toBeVisible();
      await expectAccessible(page);
      await page.keyboard.press("Escape");
      await expect(page.getByRole("menu")).toHaveCount(0);
    }
    await page.setViewportSize({ width: 768, height: 1024 });
    await page.getByRole("button", { name: "Pages", exact: true }).click();
    const drawer = page.getByRole("dialog", { name: "Pages" });
    await expect(drawer.getByRole("link", { name: "Groups", exact: true })).toBeVisible();
    await expectAccessible(page);
    await drawer.getByRole("link", { name: "Groups", exact: true }).click();
    await expect(page).toHaveURL(`/${environment.slug}/groups`);
    await expect(drawer).toHaveCount(0);
  });

  test("on pages that do not exist", async ({ page }) => {
    for (const path of ["/nowhere/groups", "/testing/groups/999999", "/testing/no-such-page", "/no.such.page"]) {
      await page.goto(path);
      await expect(page.getByRole("button", { name: "Search groups and pages" })).toBeVisible();
      await expectAccessible(page);
    }
  });
});

test.describe("axe finds no violations when signed out", () => {
  test.use({ role: null });
  test.slow();

  test("on the sign-in page and a refused sign-in", async ({ page }) => {
    await page.goto("/sign-in");
    await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
    await expectAccessible(page);
    await page.getByLabel("Email").fill("nobody@example.com");
    await page.getByLabel("Password").fill("not my password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await expectAccessible(page);
  });

  test("on a page that does not exist", async ({ page }) => {
    await page.goto("/no.such.page");
    await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
    await expectAccessible(page);
  });
});

test.describe("axe finds no violations for a viewer", () => {
  test.use({ role: "viewer" });
  test.slow();

  test("on the list, a group, its tabs, and a new group, which readers cannot create", async ({
    page,
    environment,
  }) => {
    await page.goto(`/${environment.slug}/groups`);
    await expect(page.getByRole("heading", { name: "From your customer to their dashboard" })).toBeVisible();
    await expectAccessible(page);
    const properties = { plan: "pro", seats: 10, beta: true, none: null, list: [1] };
    const group = await environment.createGroup({ name: "Alpha", mapping: { 40: "213" }, properties });
    await page.reload();
    await page.getByRole("link", { name: "Alpha" }).click();
    await expect(page.getByText("Readers cannot see tokens.")).toBeVisible();
    await expect(page.getByLabel("Name", { exact: true })).not.toBeEditable();
    await expectAccessible(page);
    await page.getByRole("group", { name: "Properties" }).getByRole("radio", { name: "JSON" }).check();
    await expect(page.locator(".cm-content")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("tab", { name: "Embed" }).click();
    await expect(page.getByText("which readers cannot see")).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press("n");
    await expect(page).toHaveURL(`/${environment.slug}/groups/${group.team_id}?tab=embed`);
    await page.goto(`/${environment.slug}/groups/new`);
    await expect(page.getByText("Readers cannot create user groups.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Create user group" })).toHaveCount(0);
    await expectAccessible(page);
  });
});
