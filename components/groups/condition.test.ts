import { expect, test } from "vitest";
import { asTyped, readCondition, typedValue, wordsOf, writeCondition } from "./condition";

test.each([
  ['plan:is:"pro"', { name: "plan", operator: "is", value: '"pro"' }],
  ["seats:gt:10.5", { name: "seats", operator: "gt", value: "10.5" }],
  ["plan:missing", { name: "plan", operator: "missing", value: "" }],
  ['"a:is:b":not:null', { name: "a:is:b", operator: "not", value: "null" }],
  ['"":missing', { name: "", operator: "missing", value: "" }],
  ['"\\"q":contains:"x"', { name: '"q', operator: "contains", value: '"x"' }],
] as const)("%s survives a round trip", (text, condition) => {
  expect(readCondition(text)).toEqual(condition);
  expect(writeCondition(condition)).toBe(text);
});

test.each(["plan", "plan = pro", "plan:is:pro", 'plan:is:"pro', '"a"b:missing', ""])(
  "%s is not a condition",
  (text) => {
    expect(readCondition(text)).toBeUndefined();
  },
);

test("typed text is a literal, or else a string", () => {
  expect(["pro", "10", '"10"', "true", "1e3", "12345678901234567"].map((typed) => typedValue(typed))).toEqual([
    '"pro"',
    "10",
    '"10"',
    "true",
    '"1e3"',
    '"12345678901234567"',
  ]);
  expect(typedValue("10", "contains")).toBe('"10"');
  for (const json of ['"pro"', "10", '"10"', "null", '"a \\"b\\""']) expect(typedValue(asTyped(json))).toBe(json);
});

test("a chip describes the condition in words", () => {
  expect(wordsOf({ name: "plan", operator: "not", value: '"pro"' })).toEqual({
    name: "plan",
    operator: "is not",
    value: "pro",
  });
});
