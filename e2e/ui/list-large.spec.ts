import type { Page } from "@playwright/test";
import type { Database } from "../fixtures/api";
import { type TestEnvironment, toasts } from "../fixtures/browser";
import { addFilter, expect, expectParameter, names, table, test } from "../fixtures/list";

const SIZE = 20_010;

/** Groups named Many 00001 and so on, every third of them on the plan pro. */
async function fill(database: Database, { slug }: TestEnvironment) {
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, properties, token_index, token_sealed)
     SELECT e.id, 'many-' || n, 'Many ' || to_char(n, 'FM00000'), CASE WHEN n % 3 = 0 THEN '{"plan":"pro"}' ELSE '{"plan":"free"}' END,
       sha256(convert_to(e.slug || n, 'UTF8')), decode(repeat('00', 91), 'hex')
     FROM environment e, generate_series(1, $2::int) AS n WHERE e.slug = $1`,
    [slug, SIZE],
  );
  // As autovacuum does within a minute: totals are estimated from statistics.
  await database.query("ANALYZE user_group, group_search");
}

const foot = (page: Page) => page.getByRole("navigation", { name: "List pages" });
const bar = (page: Page) => page.getByRole("region", { name: "Selected groups" });

test.describe("with 20,000 groups", { tag: "@release" }, () => {
  test("each page of a thousand matches follows the one before, to the end", async ({
    page,
    environment,
    database,
  }) => {
    await fill(database, environment);
    await page.goto(`/${environment.slug}/groups?sort=name&search=Many 19`);
    const next = foot(page).getByRole("button", { name: "Next" });
    const seen: string[] = [];
    for (let from = 1; ; from += 50) {
      await expect(foot(page)).toContainText(`${from.toLocaleString("en")}–${(from + 49).toLocaleString("en")} of `);
      await expect(table(page)).toHaveAttribute("aria-busy", "false");
      seen.push(...(await names(page).allTextContents()));
      if (await next.isDisabled()) break;
      await next.click();
    }
    expect(seen).toEqual(Array.from({ length: 1_000 }, (_, index) => `Many ${19_000 + index}`));
    await foot(page).getByRole("button", { name: "Prev" }).click();
    await expect(names(page).last()).toHaveText("Many 19949");
  });

  test("pages turn across thousands of groups that do not match", async ({ page, environment, database }) => {
    await fill(database, environment);
    await database.query(
      `UPDATE user_group SET properties = CASE name WHEN 'Many 15000' THEN '{"plan":"last"}' ELSE '{"plan":"rare"}' END
       WHERE name IN ('Many 00001', 'Many 06500', 'Many 13000', 'Many 15000')
       AND environment_id = (SELECT id FROM environment WHERE slug = $1)`,
      [environment.slug],
    );
    const button = (name: string) => foot(page).getByRole("button", { name });
    await page.goto(`/${environment.slug}/groups?sort=created&filter=plan:contains:"rar"`);
    await expect(names(page)).toHaveText(["Many 00001"]);
    for (const [name, found] of [
      ["Next", "Many 06500"],
      ["Next", "Many 13000"],
      ["Prev", "Many 06500"],
      ["Next", "Many 13000"],
    ] as const) {
      await button(name).click();
      await expect(names(page)).toHaveText([found]);
    }
    // No further page: the previous one shows again.
    await button("Next").click();
    await expectParameter(page, "back", "true");
    await expect(names(page)).toHaveText(["Many 13000"]);
    await page.goto(`/${environment.slug}/groups?sort=created&filter=plan:contains:"las"`);
    await expect(names(page)).toHaveText(["Many 15000"]);
    await expect(foot(page)).toContainText("1–1 of ");
    await expect(button("Prev")).toBeDisabled();
  });

  test("all matches are selected, checked, changed and restored", async ({ page, environment, database }) => {
    test.setTimeout(480_000);
    await fill(database, environment);
    const plans = async () => {
      const [counted] = await database.query(
        `SELECT count(*) FILTER (WHERE properties = '{"plan":"pro"}')::int AS pro,
           count(*) FILTER (WHERE properties = '{"plan":"free"}')::int AS free,
           count(*) FILTER (WHERE properties = '{"plan":"basic"}')::int AS basic
         FROM user_group WHERE environment_id = (SELECT id FROM environment WHERE slug = $1)`,
        [environment.slug],
      );
      return counted;
    };
    await page.goto(`/${environment.slug}/groups?sort=name`);
    await page.getByLabel("Select all on this page").check();
    await expect(bar(page)).toContainText("20,010 match: you can select up to 10,000");
    await addFilter(page, "plan", "pro");
    // An estimate from a sample of the 6,670.
    await expect(foot(page)).toContainText(/1–50 of about [5-8],\d00/);
    await page.getByLabel("Select all on this page").check();
    await bar(page)
      .getByRole("button", { name: /^Select all about [5-8],\d00 that match$/ })
      .click();
    await expect(bar(page)).toContainText(/6,6\d\d selected|6,7\d\d selected/);
    await bar(page).getByRole("button", { name: "Clear selection" }).click();
    await page.getByLabel("Select all on this page").check();
    await bar(page)
      .getByRole("button", { name: /^Select all about [5-8],\d00 that match$/ })
      .click();
    await expect(bar(page)).toContainText("6,670 selected");

    await bar(page).getByRole("button", { name: "Property…" }).click();
    const dialog = page.getByRole("dialog", { name: "Change a property of 6,670 user groups" });
    await dialog.getByLabel("Property", { exact: true }).fill("plan");
    await dialog.getByLabel("Value", { exact: true }).fill("basic");
    await dialog.getByRole("button", { name: "Check" }).click();
    await expect(dialog).toContainText("6,670 will change.", { timeout: 120_000 });
    expect(await plans()).toEqual({ pro: 6_670, free: 13_340, basic: 0 });
    await dialog.getByRole("button", { name: "Change 6,670 user groups" }).click();
    await expect(toasts(page)).toContainText("6,670 user groups now have plan basic", { timeout: 180_000 });
    expect(await plans()).toEqual({ pro: 0, free: 13_340, basic: 6_670 });
    await toasts(page).getByRole("button", { name: "Undo" }).click();
    await expect(toasts(page)).toContainText("6,670 user groups were changed back", { timeout: 180_000 });
    expect(await plans()).toEqual({ pro: 6_670, free: 13_340, basic: 0 });
  });
});
