import { expect, test } from "vitest";
import { RawJson } from "@/lib/json/raw-json";
import { FilterFault, readPropertyFilter } from "./property-filter";

test.each([
  ['plan:is:"pro"', { name: "plan", operator: "is", value: "pro" }],
  ["seats:gt:10.5", { name: "seats", operator: "gt", value: 10.5 }],
  ['since:lt:"2026-01-01"', { name: "since", operator: "lt", value: "2026-01-01" }],
  ["trial:not:null", { name: "trial", operator: "not", value: null }],
  ["plan:missing", { name: "plan", operator: "missing" }],
  ["a:b:missing", { name: "a:b", operator: "missing" }],
  ['a:b:is:"c:is:d"', { name: "a:b", operator: "is", value: "c:is:d" }],
  ['"a:is:b":is: [1, 2]', { name: "a:is:b", operator: "is", value: new RawJson("[1,2]", "array") }],
  ['"":missing', { name: "", operator: "missing" }],
  ['"\\"q":contains:"x"', { name: '"q', operator: "contains", value: "x" }],
  ["missing:missing", { name: "missing", operator: "missing" }],
])("reads %s", (text, filter) => {
  expect(readPropertyFilter(text)).toEqual({ ...filter, text });
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
  "plan:like:1",
  '"plan:is:1',
  '"plan"x:is:1',
  "seats:contains:1",
  "seats:gt:true",
  "seats:lt:[1]",
])("refuses %s", (text) => {
  expect(() => readPropertyFilter(text)).toThrow(FilterFault);
});
