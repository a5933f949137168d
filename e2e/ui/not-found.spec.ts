import { expect, expectAccessible, expectNoSidewaysScrolling, test } from "../fixtures/browser";
import { names } from "../fixtures/list";

const SAID = [
  ["/nowhere/groups", "No environment is called “nowhere”."],
  ["/no-such-page", "No environment is called “no-such-page”."],
  ["/no.such.page", "The address may be mistyped."],
  ["/testing/no-such-page", "The address may be mistyped."],
  ["/testing/groups/999999", "No such user group in Testing."],
  ["/testing/groups/nonsense", "No such user group in Testing."],
] as const;

test("one not-found page in the shell offers search", { tag: "@release" }, async ({ page, environment }) => {
  test.slow();
  await environment.createGroup({ user_group_id: "acme", name: "Acme GmbH" });
  await page.goto(`/${environment.slug}/groups`);
  await expect(names(page)).toHaveCount(1);
  for (const [path, said] of SAID) {
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
      await expect(page.getByRole("main")).toContainText(said);
      await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
      await expect(page.getByRole("navigation", { name: "Pages" })).toBeVisible();
      await expect(page.getByRole("button", { name: /^Environment: / })).toBeVisible();
      const { width, height } = page.viewportSize() ?? { width: 1280, height: 720 };
      await page.setViewportSize({ width: 320, height: 640 });
      await expectNoSidewaysScrolling(page);
      await page.setViewportSize({ width, height });
    });
  }
  await expectAccessible(page);
  await page.goto("/nowhere/groups");
  // The environment of the last existing page.
  await expect(page.getByRole("button", { name: /^Environment: Testing/ })).toBeVisible();
  await page.getByRole("main").getByRole("button", { name: "Search groups and pages" }).click();
  await page.getByRole("combobox", { name: "Search and commands" }).fill(`Switch to ${environment.name}`);
  await page.keyboard.press("Enter");
  await expect(names(page)).toHaveText(["Acme GmbH"]);
});

test.describe("signed out", () => {
  test.use({ role: null });

  test("the not-found page has no shell and links to sign-in", async ({ page }) => {
    await page.goto("/no.such.page");
    await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Pages" })).toHaveCount(0);
    await page.getByRole("link", { name: "Sign in" }).click();
    await expect(page.getByLabel("Password")).toBeVisible();
  });
});
