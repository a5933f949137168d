import { expect, test } from "vitest";
import { FilterError, parseFilter } from "./old-filter";

test.each([
  ["", []],
  ["plan=pro", [{ name: "plan", value: '"pro"' }]],
  ["  plan =  pro plus ", [{ name: "plan", value: '"pro plus"' }]],
  ["seats = 10", [{ name: "seats", value: "10" }]],
  [
    "trial=true, manager = null",
    [
      { name: "trial", value: "true" },
      { name: "manager", value: "null" },
    ],
  ],
  ['seats = "10"', [{ name: "seats", value: '"10"' }]],
  [
    '"a = b" = "x, \\"y\\"", c=d=e',
    [
      { name: "a = b", value: '"x, \\"y\\""' },
      { name: "c", value: '"d=e"' },
    ],
  ],
  ['empty = ""', [{ name: "empty", value: '""' }]],
  ["size = 9007199254740993", [{ name: "size", value: '"9007199254740993"' }]],
  ["size = 999999999999999", [{ name: "size", value: "999999999999999" }]],
  ["size = -0.5", [{ name: "size", value: "-0.5" }]],
  ["size = 1e400", [{ name: "size", value: '"1e400"' }]],
  ["plan=pro,", [{ name: "plan", value: '"pro"' }]],
])("reads %j", (text, conditions) => {
  expect(parseFilter(text)).toEqual(conditions);
});

test.each([
  ["plan", 4],
  ["plan =", 6],
  ["= pro", 0],
  ["plan = , b = c", 7],
  ['plan = "pro', 7],
  ['plan = "pro" x', 13],
  ['plan = "\\u0000"', 7],
  ['plan = "\\ud800"', 7],
  ['plan = "\\x"', 7],
])("refuses %j", (text, offset) => {
  const attempt = () => parseFilter(text);
  expect(attempt).toThrow(FilterError);
  try {
    attempt();
  } catch (error) {
    expect(error).toMatchObject({ offset });
  }
});
