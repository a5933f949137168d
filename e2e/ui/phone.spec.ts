import { devices } from "@playwright/test";
import { clipboard, expectAccessible, expectNoSidewaysScrolling, toasts } from "../fixtures/browser";
import { expect, names, searchBox, table, test, typeProperty } from "../fixtures/list";

const { userAgent } = devices["Pixel 7"];

for (const width of [390, 320]) {
  test.describe(`on a phone of ${width} px`, () => {
    test.use({
      viewport: { width, height: 720 },
      isMobile: true,
      hasTouch: true,
      deviceScaleFactor: 2,
      userAgent,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    test.slow();

    test("a group is found, its token copied, the list filtered and the group edited", { tag: "@release" }, async ({
      page,
      environment,
      database,
    }) => {
      const groups = ["Acme", "Borealis", "Contoso"];
      for (const [index, name] of groups.entries()) {
        await environment.createGroup({ user_group_id: name, name, properties: { plan: index ? "pro" : "free" } });
      }
      const { token, team_id } = await environment.createGroup({
        user_group_id: "northwind",
        name: "Northwind Traders International Holding",
        properties: { plan: "pro" },
      });
      const check = async () => {
        await expectNoSidewaysScrolling(page);
        await expectAccessible(page);
      };
      const copied = () => clipboard(page);
      await page.goto(`/${environment.slug}/groups`);
      await expect(names(page)).toHaveCount(4);
      await check();

      await test.step("find it, and copy its token from the list", async () => {
        await searchBox(page).fill("northw");
        await expect(names(page)).toHaveCount(1);
        const copy = page.getByRole("button", { name: /^Copy token of Northwind/ });
        await expect(copy).toBeInViewport({ ratio: 1 });
        await copy.tap();
        await expect.poll(copied).toBe(token);
        await searchBox(page).fill("");
        await expect(names(page)).toHaveCount(4);
      });

      await test.step("filter", async () => {
        await page.getByRole("button", { name: "Filter", exact: true }).tap();
        const popover = page.getByRole("dialog", { name: "Filter", exact: true });
        await expect(popover).toBeVisible();
        await check();
        await popover.getByRole("button", { name: "Add filter" }).tap();
        await typeProperty(popover, "plan");
        await popover.getByLabel("Value", { exact: true }).fill("free");
        await check();
        await popover.getByRole("button", { name: "Add filter" }).tap();
        await expect(names(page)).toHaveText(["Acme"]);
        await page.keyboard.press("Escape");
        await expect(page.getByRole("button", { name: "Filter · 1" })).toBeVisible();
        await page.getByRole("button", { name: "Filter · 1" }).tap();
        await page.getByRole("button", { name: /^Remove filter plan/ }).tap();
        await page.keyboard.press("Escape");
        await expect(names(page)).toHaveCount(4);
      });

      await test.step("open it, copy from its bar, and edit", async () => {
        await table(page)
          .getByRole("link", { name: /^Northwind/ })
          .tap();
        await expect(page.getByRole("heading", { level: 1, name: /^Northwind/ })).toBeVisible();
        await page.evaluate(() => navigator.clipboard.writeText(""));
        const copy = page.getByRole("button", { name: "Copy token", exact: true });
        await expect(copy).toBeInViewport({ ratio: 1 });
        await copy.tap();
        await expect.poll(copied).toBe(token);
        await check();
        const properties = page.getByRole("group", { name: "Properties" });
        const sheet = page.getByRole("dialog");
        await properties.getByRole("button", { name: "plan: pro" }).tap();
        await sheet.getByLabel("Value").fill("enterprise");
        await check();
        await sheet.getByRole("button", { name: "Done" }).tap();
        await expect(properties.getByRole("button", { name: "plan: enterprise" })).toBeFocused();
        await properties.getByRole("button", { name: "Add row" }).tap();
        await sheet.getByLabel("Name").fill("seats");
        await sheet.getByLabel("Value").fill("25");
        await sheet.getByRole("button", { name: "Done" }).tap();
        await expect(properties.getByRole("button", { name: "seats: 25" })).toBeInViewport({ ratio: 1 });
        await check();
        await page.getByRole("region", { name: "Unsaved changes" }).getByRole("button", { name: "Save" }).tap();
        await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
        const [row] = await database.query("SELECT properties FROM user_group WHERE team_id = $1", [team_id]);
        expect(row.properties).toBe('{"plan":"enterprise","seats":25}');
      });

      await test.step("the other tabs, and the navigation drawer", async () => {
        await page.getByRole("tab", { name: "Embed" }).tap();
        await expect(page.getByRole("region", { name: "Embed configuration" })).toBeVisible();
        await check();
        await page.getByRole("tab", { name: /^History/ }).tap();
        await expect(page.getByRole("region", { name: "Activity", exact: true })).toBeVisible();
        await check();
        await page.getByRole("button", { name: "Pages", exact: true }).tap();
        await page.getByRole("dialog", { name: "Pages" }).getByRole("link", { name: "Activity" }).tap();
        await expect(page.getByRole("heading", { level: 1, name: "Activity" })).toBeVisible();
        await expectNoSidewaysScrolling(page);
      });
    });
  });
}
