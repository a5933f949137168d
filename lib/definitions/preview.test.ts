import fc from "fast-check";
import { expect, test } from "vitest";
import { rawJson } from "@/lib/json/raw-json";
import { previewQuery } from "./preview";
import type { Variable } from "./schema";
import { tokensOf } from "./sql-tokens";

const VARIABLES: Variable[] = [
  { name: "plan", value: rawJson('"pro"'), source: "property" },
  { name: "seats", value: rawJson("0.10"), source: "default" },
  { name: "it's", value: rawJson("12345678901234567890"), source: "property" },
];
const sqlOf = (query: string) => previewQuery(query, VARIABLES).value?.sql;
const messagesOf = (query: string) => previewQuery(query, VARIABLES).issues?.map(({ message }) => message);

test.each([
  ["SELECT 1", "SELECT 1"],
  ["plan = {{user_group.plan}}", "plan = $1"],
  ["plan = {{ user_group.plan }}", "plan = $1"],
  ["plan = '{{user_group.plan}}'", "plan = $1"],
  ["IN ('{{user_group.plan}}',{{user_group.seats}}) AND {{user_group.plan}}", "IN ($1,$2) AND $1"],
  ["{{user_group.seats}}::int", "$1::int"],
  ["a || {{user_group.it's}} || '{{user_group.it''s}}'", "a || $1 || $1"],
  ["1 -- {{user_group.plan}} '", "1 -- {{user_group.plan}} '"],
  ["/* {{user_group.plan}} /* ' */ {{x}} */ {{user_group.plan}}", "/* {{user_group.plan}} /* ' */ {{x}} */ $1"],
  ["'{{1,2}}'::int[]", "'{{1,2}}'::int[]"],
  ["'it''s' || '--' || {{user_group.plan}}", "'it''s' || '--' || $1"],
  ["'\\' || {{user_group.plan}} || E'\\''", "'\\' || $1 || E'\\''"],
  ["$$ it's $$ || $a$ $$ $a$ || {{user_group.plan}}", "$$ it's $$ || $a$ $$ $a$ || $1"],
  ['"it\'s ""x""" = {{user_group.plan}}', '"it\'s ""x""" = $1'],
  ["a$1 = {{user_group.plan}}", "a$1 = $1"],
  ["x AT TIME ZONE '{{user_group.plan}}'", "x AT TIME ZONE $1"],
])("fills %s", (query, sql) => {
  expect(sqlOf(query)).toBe(sql);
});

test("a name has one number, and its value is exact", () => {
  const query = "{{user_group.seats}}, {{user_group.gone}}, {{user_group.it's}}, {{user_group.seats}}";
  const { value } = previewQuery(query, VARIABLES);
  expect(value?.sql).toBe("$1, $2, $3, $1");
  expect(value?.parameters.map(({ name, value: { text }, source }) => [name, text, source])).toEqual([
    ["seats", "0.10", "default"],
    ["gone", "null", "missing"],
    ["it's", "12345678901234567890", "property"],
  ]);
});

test.each([
  [
    "SELECT\n  'a {{user_group.plan}} it''s'",
    "line 2, column 3: {{user_group.plan}} is inside a text: write 'a ' || {{user_group.plan}} || ' it''s'",
  ],
  [
    "E'\\n{{user_group.plan}}'",
    "line 1, column 1: {{user_group.plan}} is inside a text: write E'\\n' || {{user_group.plan}}",
  ],
  ["N'{{user_group.plan}}'", "line 1, column 1: {{user_group.plan}} is inside a text: write {{user_group.plan}}"],
  [
    "interval '{{user_group.seats}} days'",
    "line 1, column 10: {{user_group.seats}} is inside a text: write CAST({{user_group.seats}} || ' days' AS interval)",
  ],
  [
    "DATE '{{user_group.plan}}'",
    "line 1, column 6: a parameter cannot follow date: write CAST({{user_group.plan}} AS date)",
  ],
  [
    '"{{user_group.plan}}"',
    "line 1, column 1: {{user_group.plan}} is inside a quoted name: a parameter is a value and cannot name anything",
  ],
  [
    "`t_{{user_group.plan}}`",
    "line 1, column 1: {{user_group.plan}} is inside a quoted name: a parameter is a value and cannot name anything",
  ],
  [
    "$a$ {{user_group.plan}} $a$",
    "line 1, column 1: {{user_group.plan}} is inside a $$ text: write it as 'text' || {{user_group.plan}}",
  ],
  [
    "1$a$ {{user_group.plan}} $a$",
    "line 1, column 2: {{user_group.plan}} is inside a $$ text: write it as 'text' || {{user_group.plan}}",
  ],
  ["{{plan}}", "line 1, column 1: {{plan}} is unknown: write {{user_group.NAME}}"],
  ["{{user_group.}}", "line 1, column 1: {{user_group.}} is unknown: write {{user_group.NAME}}"],
  ["$1", "line 1, column 1: $1 would be mixed up with the parameters of placeholders: write the value"],
  ["1, 'a", "line 1, column 4: the text, name or comment that begins here is not closed"],
  ["/* /* */", "line 1, column 1: the text, name or comment that begins here is not closed"],
])("refuses %s", (query, message) => {
  expect(messagesOf(query)).toEqual([message]);
});

test.each([
  "t_{{user_group.plan}}",
  "{{user_group.plan}}0",
  "1{{user_group.plan}}",
  "'{{user_group.plan}}'x",
  't."a".{{user_group.plan}}',
])("refuses a placeholder that would become part of another token: %s", (query) => {
  expect(messagesOf(query)).toEqual([expect.stringContaining("touches what is next to it")]);
});

test("lists at most ten problems", () => {
  expect(messagesOf("{{x}} ".repeat(30))).toHaveLength(10);
});

const HOSTILE = [
  ...["'; DROP TABLE t; --", "$1", "$$", "*/", "{{user_group.plan}}", '"', "\\' OR 1=1 --", "0 OR 1=1", "\u0000"],
  ...["'||(SELECT 1)||'", "\n--", "E'\\''", "`"],
];
const fragment = fc.constantFrom(
  ...["'", "''", '"', "$$", "$a$", "--", "\n", "/*", "*/", "{{user_group.plan}}", "{{ user_group.seats }}", "{{", "}}"],
  ...[" ", "x", "E'", "U&'", "\\", "$1", "1", "=", "{{other}}", "'{{user_group.plan}}'", "date ", "é", "`", ";"],
);
const query = fc.array(fragment, { maxLength: 30 }).map((parts) => parts.join(""));

test("the statement is the same for any values, which are only in the parameters", () => {
  const values = fc.tuple(...[0, 1].map(() => fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary" }))));
  fc.assert(
    fc.property(query, values, (given, [plan, seats]) => {
      const variables: Variable[] = [
        { name: "plan", value: rawJson(JSON.stringify(plan)), source: "property" },
        { name: "seats", value: rawJson(JSON.stringify(seats)), source: "default" },
      ];
      const filled = previewQuery(given, variables);
      const { value, issues } = previewQuery(given, []);
      expect(filled.issues).toEqual(issues);
      expect(filled.value?.sql).toBe(value?.sql);
      for (const { name, value: shown } of filled.value?.parameters ?? []) {
        expect(shown.text).toBe(JSON.stringify(name === "plan" ? plan : seats));
      }
    }),
    { numRuns: 2_000 },
  );
});

test("the numbers of a statement are those of its parameters, as parameters of their own", () => {
  fc.assert(
    fc.property(query, (given) => {
      const { value } = previewQuery(given, VARIABLES);
      if (!value) return;
      const numbers = [...tokensOf(value.sql)]
        .filter(({ kind }) => kind === "parameter")
        .map(({ start, end }) => Number(value.sql.slice(start + 1, end)));
      expect([...new Set(numbers)].sort()).toEqual(value.parameters.map((_, index) => index + 1));
      const rest = [...tokensOf(value.sql)].filter(({ kind }) => kind !== "comment");
      expect(rest.some(({ start, end }) => value.sql.slice(start, end).includes("{{user_group.plan}}"))).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});

test("the tokens of any text are the text", () => {
  fc.assert(
    fc.property(fc.oneof(query, fc.string({ unit: "binary" })), (given) => {
      expect([...tokensOf(given)].map(({ start, end }) => given.slice(start, end)).join("")).toBe(given);
    }),
  );
});
