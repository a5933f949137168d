import { expect, test } from "vitest";
import { FilterError, parseFilter } from "./filter";

test.each([
  ["", []],
  ["plan=pro", [{ name: "plan", values: ['"pro"'] }]],
  ["  plan =  pro plus ", [{ name: "plan", values: ['"pro plus"'] }]],
  ["seats = 10", [{ name: "seats", values: ['"10"', "10"] }]],
  [
    "trial=true, manager = null",
    [
      { name: "trial", values: ['"true"', "true"] },
      { name: "manager", values: ['"null"', "null"] },
    ],
  ],
  ['seats = "10"', [{ name: "seats", values: ['"10"'] }]],
  [
    '"a = b" = "x, \\"y\\"", c=d=e',
    [
      { name: "a = b", values: ['"x, \\"y\\""'] },
      { name: "c", values: ['"d=e"'] },
    ],
  ],
  ['empty = ""', [{ name: "empty", values: ['""'] }]],
  ["size = 1e400", [{ name: "size", values: ['"1e400"'] }]],
  ["plan=pro,", [{ name: "plan", values: ['"pro"'] }]],
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
  ["a=1,b=2,c=3,d=4,e=5,f=6", 23],
])("refuses %j", (text, offset) => {
  const attempt = () => parseFilter(text);
  expect(attempt).toThrow(FilterError);
  try {
    attempt();
  } catch (error) {
    expect(error).toMatchObject({ offset });
  }
});
