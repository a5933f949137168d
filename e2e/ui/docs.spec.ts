import type { Page } from "@playwright/test";
import { ERRORS } from "@/lib/errors";
import { reference } from "@/lib/openapi/reference";
import { expect, expectAccessible, expectNoSidewaysScrolling, test } from "../fixtures/browser";

const CALLS = [
  "Get or create a user group",
  "Update a user group",
  "Rotate the token of a user group",
  "Get or create a user group by POST",
  "List user groups",
  "Export user groups",
  "Begin a job",
  "Send a piece of the file",
  "Identify a viewer",
];

const part = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test.describe("for readers who are not signed in", () => {
  test.use({ role: null });

  test("the reference has every call, error and limit, and fits every screen", { tag: "@release" }, async ({
    page,
  }) => {
    test.slow();
    await page.goto("/docs");
    await expect(page).toHaveTitle("API reference · User groups");
    await expect(page.locator('meta[name="robots"]')).toHaveAttribute("content", "noindex, nofollow");
    for (const name of CALLS) await expect(page.getByRole("heading", { level: 2, name, exact: true })).toBeVisible();
    for (const name of ["Get or create, curl", "Update, curl", "Rotate the token, curl"]) {
      await expect(part(page, name)).toContainText("/api/user");
    }
    const codes = page.getByRole("table", { name: "Error codes" });
    for (const code of Object.keys(ERRORS)) await expect(codes.getByText(code, { exact: true })).toBeVisible();
    await expect(page.getByRole("table", { name: "Limits" }).getByRole("row")).toHaveCount(
      reference["x-limits"].length + 1,
    );
    const body = part(page, "Update a user group").getByRole("definition").first();
    await expect(body).toContainText("compared byte for byte");
    for (const size of [
      { width: 320, height: 640 },
      { width: 768, height: 1024 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(size);
      await expectNoSidewaysScrolling(page);
    }
    await page.getByRole("navigation", { name: "On this page" }).getByRole("link", { name: "Errors" }).click();
    await expect(page.getByRole("heading", { name: "Errors", exact: true })).toBeInViewport();
    await expectAccessible(page);
    const list = part(page, "List user groups");
    await expect(list).toContainText("Scopes: groups:read.");
    await expect(list.getByLabel("Query of List user groups", { exact: true })).toContainText("updated_since");
    const members = list.getByLabel("Response of List user groups, user_groups", { exact: true });
    await expect(members).toContainText("token_last_used_at");
    // Calls without programs have an example of their body.
    await expect(part(page, "Begin a job")).toContainText('"kind": "import"');
  });
});

test("the dashboard links to the reference, and the reference back", { tag: "@release" }, async ({ page }) => {
  await page.goto("/testing/groups");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "API reference" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "API reference" })).toBeVisible();
  await page.getByRole("link", { name: "Dashboard" }).click();
  await expect(page).toHaveURL("/testing/groups");
  await page.getByRole("button", { name: "Search and commands" }).click();
  await page.getByRole("combobox", { name: "Search and commands" }).fill("api ref");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/docs");
});
