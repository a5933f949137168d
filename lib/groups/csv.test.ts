import fc from "fast-check";
import { expect, test } from "vitest";
import { guard, unguard, writeCsv } from "./csv";

const letters = [..."'=+-@\t\r\n＝＋－＠a\" ,;"];
const values = fc.oneof(fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 }), fc.string({ unit: "binary" }));

test("what is guarded begins as no formula does, and comes back as it was", () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(guard(value)).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(unguard(guard(value))).toBe(value);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ["=1+1", "'=1+1"],
  ["'=1+1", "''=1+1"],
  ["''-", "'''-"],
  ["'quoted'", "'quoted'"],
  ["'", "'"],
  ["a=b", "a=b"],
  ["＝x", "'＝x"],
])("%j is guarded as %j", (value, guarded) => {
  expect(guard(value)).toBe(guarded);
});

test("a file that nobody guarded is read as it stands", () => {
  for (const value of ["-5", "plain", "'quoted'", "=1"]) expect(unguard(value)).toBe(value);
});

test("CSV has quotes where RFC 4180 wants them, and its line ends", () => {
  expect(writeCsv([["a", 'say "x"', "b,c", "d\ne"], ["=1"]])).toBe('a,"say ""x""","b,c","d\ne"\r\n\'=1\r\n');
});
