import { expect, test } from "../fixtures/browser";

test("the environment is always visible, and switched in the header", { tag: "@release" }, async ({ page }) => {
  await page.goto("/testing/groups");
  await page.getByRole("button", { name: "Environment: Testing" }).click();
  await page.getByRole("menuitemradio", { name: "Production" }).click();
  await expect(page).toHaveURL("/production/groups");
  await expect(page.getByRole("button", { name: "Environment: Production" })).toBeVisible();
});

test("a menu taller than the window scrolls to its last item", async ({ page }) => {
  const height = 110;
  await page.setViewportSize({ width: 768, height });
  await page.goto("/production/groups");
  await page.getByRole("button", { name: "Environment: Production" }).click();
  const menu = page.getByRole("menu");
  await expect(menu).toBeVisible();
  const box = await menu.boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? height)).toBeLessThanOrEqual(height);
  expect(await menu.evaluate((element) => element.scrollHeight > element.clientHeight)).toBe(true);
  await page.getByRole("menuitemradio", { name: "Testing", exact: true }).click();
  await expect(page).toHaveURL("/testing/groups");
});
