import fc from "fast-check";
import { expect, test } from "vitest";
import { convertLiteral, isNumber } from "./convert";
import type { RowType } from "./rows";

test.each<[string, RowType, string]>([
  ['"10"', "number", "10"],
  ["10", "string", '"10"'],
  ['" 1.10 "', "number", "1.10"],
  ["1.10", "string", '"1.10"'],
  ["9007199254740993", "string", '"9007199254740993"'],
  ['"ten"', "number", "0"],
  ['"01"', "number", "0"],
  ["true", "number", "1"],
  ["null", "number", "0"],
  ['"True"', "boolean", "true"],
  ['"no"', "boolean", "false"],
  ["0", "boolean", "false"],
  ["2", "boolean", "true"],
  ["true", "string", '"true"'],
  ["null", "string", '""'],
  ['"a"', "null", "null"],
  ['"{\\"a\\": 1.0}"', "json", '{"a": 1.0}'],
  ['{"a": 1.0}', "string", '"{\\"a\\": 1.0}"'],
  ['"a"', "json", '["a"]'],
  ["5", "json", "[5]"],
  ['""', "json", "{}"],
  ["null", "json", "{}"],
])("%s to %s is %s", (literal, to, converted) => {
  expect(convertLiteral(literal, to)).toBe(converted);
});

test("always returns a value of the requested type", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom<RowType>("string", "number", "boolean", "null", "json"), (literal, to) => {
      const value: unknown = JSON.parse(convertLiteral(literal, to));
      const type = value === null ? "null" : typeof value === "object" ? "json" : typeof value;
      expect(type).toBe(to);
    }),
  );
});

test.each(["1", "-0", "1.10", "1E+2"])("%s is a number", (text) => expect(isNumber(text)).toBe(true));
test.each(["", "01", "+1", "1.", ".5", "1e", "0x1", "NaN", " 1"])("%j is not a number", (text) => {
  expect(isNumber(text)).toBe(false);
});
