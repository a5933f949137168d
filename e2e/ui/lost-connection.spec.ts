import { expect, test, toasts } from "../fixtures/browser";
import { expectReady, names, searchBox } from "../fixtures/list";

const CHUNKS = "**/_next/static/chunks/**";

test("a menu that fails to load says so, leaves the page unchanged, and opens once it can", {
  tag: "@release",
}, async ({ page, environment }) => {
  await environment.createGroup({ name: "Alpha" });
  await page.goto(`/${environment.slug}/groups`);
  await expectReady(page);
  await expect(names(page)).toHaveText(["Alpha"]);
  // The toast code loads last.
  await page.waitForResponse(CHUNKS);
  await page.route(CHUNKS, (route) => route.abort());
  await searchBox(page).fill("Al");
  const button = page.getByRole("button", { name: "Actions for Alpha" });
  await button.click();
  await expect(toasts(page).getByText("This cannot be opened now")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+k");
  await expect(toasts(page).getByText("This cannot be opened now")).toHaveCount(2);
  await expect(searchBox(page)).toHaveValue("Al");
  await page.unroute(CHUNKS);
  await button.click();
  await expect(page.getByRole("menuitem", { name: "Delete…" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await expect(page.getByRole("dialog", { name: "Search and commands" })).toBeVisible();
});
