import type { Page } from "@playwright/test";
import { clipboard, expect, expectNoSidewaysScrolling, test } from "../fixtures/browser";
import { chooseMore, expectReady, names, table } from "../fixtures/list";

const LONG = "a-very-long-id-without-a-place-to-break-".repeat(6);
const SIZES = [
  { width: 320, height: 640 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
];

/**
 * Every target is at least 24 by 24 px (WCAG 2.5.8), except links in a sentence. Labels and hit areas count as part of
 * their target.
 */
async function expectLargeTargets(page: Page) {
  const small = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>("a, button, input, select, textarea, [role=tab], [role^=menuitem]")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("p, .sr-only"))
      .filter((element) => !element.closest("[data-base-ui-inert], [inert]"))
      .map((element) => {
        const covering = getComputedStyle(element, "::after").position === "absolute" ? element.closest("tr") : null;
        return { element, box: (covering ?? element.closest("label") ?? element).getBoundingClientRect() };
      })
      .filter(({ box }) => box.right > 0 && box.bottom > 0 && box.width > 1 && (box.width < 24 || box.height < 24))
      .map(({ element, box }) => `${element.outerHTML.slice(0, 150)} ${box.width}×${box.height}`),
  );
  expect(small).toEqual([]);
}

async function expectFits(page: Page) {
  await expectNoSidewaysScrolling(page);
  await expectLargeTargets(page);
  const dialog = page.getByRole("dialog");
  if ((await dialog.count()) === 0) return;
  const [box, view] = [await dialog.last().boundingBox(), page.viewportSize()];
  if (!box || !view) throw new Error("there is nothing to measure");
  expect(box.x).toBeGreaterThanOrEqual(0);
  expect(box.y).toBeGreaterThanOrEqual(0);
  expect(box.x + box.width).toBeLessThanOrEqual(view.width);
  expect(box.y + box.height).toBeLessThanOrEqual(view.height);
}

for (const size of SIZES) {
  test.describe(`${size.width} px wide`, () => {
    test.use({ viewport: size, tag: "Customer" });
    test.slow();

    test("nothing scrolls sideways on the list, and every target is large enough", { tag: "@release" }, async ({
      page,
      environment,
    }) => {
      await page.goto(`/${environment.slug}/groups`);
      await expect(page.getByRole("heading", { name: "From your customer to their dashboard" })).toBeVisible();
      await expectFits(page);
      const properties = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`property${index}`, LONG]));
      await environment.createGroup({ user_group_id: LONG, name: LONG.replaceAll("-", ""), properties });
      await environment.createGroup({ name: "Alpha", properties: { plan: "pro" } });
      await page.goto(`/${environment.slug}/groups?filter=plan:is:"${LONG.slice(0, 200)}"`);
      await expect(page.getByRole("heading", { name: /^No group in .* matches/ })).toBeVisible();
      await expectFits(page);
      await page.getByRole("button", { name: "Clear filters" }).click();
      await expect(names(page)).toHaveCount(2);
      await expectFits(page);
      const isPhone = size.width < 640;
      if (!isPhone) {
        await page.getByRole("button", { name: "Actions for Alpha" }).click();
        await expect(page.getByRole("menuitem", { name: "Delete…" })).toBeVisible();
        await expectFits(page);
        await page.keyboard.press("Escape");
      }
      await page.getByRole("button", { name: "Filter", exact: true }).click();
      await expect(page.getByRole("dialog", { name: isPhone ? "Filter" : "Filter by a property" })).toBeVisible();
      await expectFits(page);
      if (isPhone) {
        await page.getByRole("button", { name: "Add filter" }).click();
        await expect(page.getByLabel("Property", { exact: true })).toBeVisible();
        await expectFits(page);
      }
      await page.keyboard.press("Escape");
      // Waits for the popover to fade out: it would count, but may be gone when measured.
      await expect(page.getByRole("dialog")).toHaveCount(0);
      if (isPhone) await chooseMore(page, "Select groups");
      for (const box of await page.getByRole("checkbox", { name: /^Select (?!all)/ }).all()) await box.check();
      await expect(page.getByRole("region", { name: "Selected groups" })).toBeVisible();
      await expectFits(page);
      await page.getByRole("button", { name: "Delete…" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await expectFits(page);
    });

    test("nothing scrolls sideways on a group, and every target is large enough", { tag: "@release" }, async ({
      page,
      environment,
    }) => {
      const group = await environment.createGroup({
        user_group_id: LONG,
        name: LONG.replaceAll("-", ""),
        mapping: { [LONG]: LONG, 40: "213" },
        properties: { plan: LONG, list: [1, 2, 3], none: null, yes: true },
      });
      await page.goto(`/${environment.slug}/groups/${group.team_id}`);
      await page.getByRole("button", { name: "Reveal token" }).click();
      await expect(page.getByRole("button", { name: "Hide token" })).toBeVisible();
      await expectFits(page);
      for (const name of ["Mapping", "Properties"]) {
        const field = page.getByRole("group", { name });
        await field.getByRole("radio", { name: "JSON" }).check();
        await expect(field.locator(".cm-content")).toBeVisible();
      }
      await page.getByLabel("Name", { exact: true }).fill("Changed");
      await expectFits(page);
      await page.getByRole("heading", { level: 1 }).click();
      await page.keyboard.press("n");
      await expect(page.getByRole("dialog", { name: "Discard your changes?" })).toBeVisible();
      await expectFits(page);
      await page.getByRole("button", { name: "Keep editing" }).click();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await page.getByRole("button", { name: "Discard" }).click();
      await page.getByRole("tab", { name: "Embed" }).click();
      await expect(page.getByRole("dialog")).toHaveCount(0);
      await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
      await expectFits(page);
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Rotate token…" }).click();
      await expectFits(page);
      await page.getByRole("dialog").getByRole("radio", { name: "Now" }).check();
      await page.getByLabel(`Type ${LONG} to confirm`).fill(LONG);
      await expectFits(page);
      await page.getByRole("button", { name: "Rotate token", exact: true }).click();
      await expect(page.getByRole("dialog")).toContainText("The token was rotated");
      await expectFits(page);
    });

    test("nothing scrolls sideways on other pages, and every target is large enough", { tag: "@release" }, async ({
      page,
      environment,
    }) => {
      await page.goto(`/${environment.slug}/groups/new`);
      await expectReady(page);
      await page.getByRole("button", { name: "Create user group" }).click();
      await expect(page.getByRole("alert").first()).toBeVisible();
      await page.getByRole("group", { name: "Mapping" }).getByRole("button", { name: "Add row" }).click();
      await expectFits(page);
      // A phone opens the new row in a sheet.
      if (size.width < 640) await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Search and commands" }).click();
      await expect(page.getByRole("option").first()).toBeVisible();
      await expectFits(page);
      await page.keyboard.press("Escape");
      for (const path of ["/nowhere/groups", "/testing/groups/999999", "/no.such.page", "/sign-in"]) {
        await page.goto(path);
        await expect(page.getByRole("main")).toBeVisible();
        await expectFits(page);
      }
    });
  });
}

test("on a phone a row shows name, state, last use and a property, and copies the token", async ({
  page,
  context,
  environment,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { token } = await environment.createGroup({ user_group_id: "a", name: "Alpha", properties: { plan: "pro" } });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`/${environment.slug}/groups`);
  const row = table(page).locator("tbody tr").first();
  await expect(row.getByRole("img", { name: "Never used" })).toBeInViewport({ ratio: 1 });
  await expect(row.getByText("never used · plan pro")).toBeInViewport({ ratio: 1 });
  await expect(row.getByRole("checkbox")).toBeHidden();
  await expect(row.getByRole("button")).toHaveCount(1);
  await row.getByRole("button", { name: "Copy token of Alpha" }).click();
  await expect(page.locator("[data-announcer]")).toHaveText("Copied token of Alpha");
  expect(await clipboard(page)).toBe(token);
  await row.click({ position: { x: 150, y: 30 } });
  await expect(page.getByRole("heading", { level: 1, name: "Alpha" })).toBeVisible();
});
