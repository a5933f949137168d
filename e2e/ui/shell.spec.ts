import { expect, test } from "../fixtures/browser";

test("the environment is always in sight, and switched from the header", async ({ page }) => {
  await page.goto("/testing/groups");
  await page.getByRole("button", { name: "Environment: Testing" }).click();
  await page.getByRole("menuitemradio", { name: "Production" }).click();
  await expect(page).toHaveURL("/production/groups");
  await expect(page.getByRole("button", { name: "Environment: Production" })).toBeVisible();
});
