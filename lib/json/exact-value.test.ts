import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalScalar, isDay, isWholeNumber } from "./exact-value";

test.each(["0", "-0", "10", "1.0", "1e3", "1.5e1", "10e-1", "12345678901234567890", "1e400", "0e-5", "100E-2"])(
  "%s is a whole number",
  (text) => {
    expect(isWholeNumber(text)).toBe(true);
  },
);

test.each([
  "1.5",
  "1e-1",
  "1.00000000000000000000001",
  "12345678901234567890.5",
  "15e-1",
  '"1"',
  "true",
  "null",
  "[1]",
])("%s is not a whole number", (text) => {
  expect(isWholeNumber(text)).toBe(false);
});

test.each([
  ["1", "1.0"],
  ["1e400", "10E+399"],
  ["0.10", "1e-1"],
  ["-0", "0"],
  ['"\\u0061"', '"a"'],
])("%s and %s are the same scalar", (one, other) => {
  expect(canonicalScalar(one)).toBe(canonicalScalar(other));
});

test.each([
  ["12345678901234567890", "12345678901234567891"],
  ["1", '"1"'],
  ["true", '"true"'],
  ["1e400", "1e401"],
  ["-1", "1"],
])("%s and %s are different scalars", (one, other) => {
  expect(canonicalScalar(one)).not.toBe(canonicalScalar(other));
});

test.each(["2026-11-30", "2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"])("%s is a day", (text) => {
  expect(isDay(text)).toBe(true);
});

test.each(["2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "0000-01-01", "2026-1-1", "26-01-01"])(
  "%s is not a day",
  (text) => {
    expect(isDay(text)).toBe(false);
  },
);

test("a day is valid if Date agrees", () => {
  const parts = fc.tuple(fc.integer({ min: 1, max: 9_999 }), fc.integer({ max: 13, min: 0 }), fc.nat(32));
  fc.assert(
    fc.property(parts, ([year, month, day]) => {
      const text = [String(year).padStart(4, "0"), ...[month, day].map((one) => String(one).padStart(2, "0"))].join(
        "-",
      );
      const date = new Date(`${text}T00:00:00Z`);
      const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
      expect(isDay(text)).toBe(isReal);
    }),
  );
});
