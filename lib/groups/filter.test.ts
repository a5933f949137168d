import { expect, test } from "vitest";
import { filterOf, UNNAMED } from "@/lib/definitions/findings-schema";
import { VALUE_FINDING_KINDS } from "@/lib/definitions/schema";
import { RawJson } from "@/lib/json/raw-json";
import { FilterFault, readFilter } from "./filter";

test.each([
  ['plan:is:"pro"', { name: "plan", operator: "is", value: "pro" }],
  ["seats:gt:10.5", { name: "seats", operator: "gt", value: 10.5 }],
  ['since:lt:"2026-01-01"', { name: "since", operator: "lt", value: "2026-01-01" }],
  ["trial:not:null", { name: "trial", operator: "not", value: null }],
  ["plan:missing", { operator: "finding", finding: { kind: "missing", name: "plan" } }],
  ["a:b:missing", { operator: "finding", finding: { kind: "missing", name: "a:b" } }],
  ["40:unknown_data_source", { operator: "finding", finding: { kind: "unknown_data_source", name: "40" } }],
  ["unknown_schema", { operator: "finding", finding: { kind: "unknown_schema", name: null } }],
  ["look_alike_id", { operator: "finding", finding: { kind: "look_alike_id", name: null } }],
  ["unused:wrong_type", { operator: "finding", finding: { kind: "wrong_type", name: "unused" } }],
  ['a:b:is:"c:is:d"', { name: "a:b", operator: "is", value: "c:is:d" }],
  ['"a:is:b":is: [1, 2]', { name: "a:is:b", operator: "is", value: new RawJson("[1,2]", "array") }],
  ['"":missing', { operator: "finding", finding: { kind: "missing", name: "" } }],
  ['"\\"q":contains:"x"', { name: '"q', operator: "contains", value: "x" }],
  ["missing:missing", { operator: "finding", finding: { kind: "missing", name: "missing" } }],
])("reads %s", (text, filter) => {
  expect(readFilter(text)).toEqual({ ...filter, text });
});

test("a finding's filter parses back to that finding, whatever its name", () => {
  for (const name of ["plan", "", "a:is:b", "a:missing", '"q"', "'", "40", "unused", "two\nlines", "\u00e9:"]) {
    for (const kind of VALUE_FINDING_KINDS) {
      const text = filterOf({ kind, name });
      expect(readFilter(text)).toEqual({ text, operator: "finding", finding: { kind, name } });
    }
  }
  for (const kind of UNNAMED)
    expect(readFilter(filterOf({ kind, name: null }))).toMatchObject({ finding: { kind, name: null } });
});

test.each([
  "",
  "plan",
  "plan=pro",
  ":is:1",
  "plan:is",
  "plan:is:",
  "plan:is:pro",
  "plan:is:9007199254740993",
  'plan:is:"\\u0000"',
  'plan:is:{"a":1,"a":2}',
  "plan:missing:true",
  "plan:unused",
  "missing",
  ":missing",
  "plan:like:1",
  '"plan:is:1',
  '"plan"x:is:1',
  "seats:contains:1",
  "seats:gt:true",
  "seats:lt:[1]",
])("refuses %s", (text) => {
  expect(() => readFilter(text)).toThrow(FilterFault);
});
