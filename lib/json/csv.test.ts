import fc from "fast-check";
import Papa from "papaparse";
import { expect, test } from "vitest";
import { guard, unguard, writeCsv } from "./csv";

const letters = [..."'=+-@\t\r\n＝＋－＠a\" ,;"];
/**
 * The cells in a spreadsheet that splits at this separator and recognises quotes only at the start of a cell.
 */
const cells = (csv: string, delimiter: string) => Papa.parse<string[]>(csv, { delimiter, quoteChar: "\0" }).data.flat();
const values = fc.oneof(fc.string({ unit: fc.constantFrom(...letters), maxLength: 8 }), fc.string({ unit: "binary" }));

test("a guarded value never starts like a formula, and is restored exactly", () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(guard(value)).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      expect(unguard(guard(value))).toBe(value);
    }),
    { numRuns: 2_000 },
  );
});

test("no cell is a formula, whichever separator the spreadsheet uses", () => {
  fc.assert(
    fc.property(fc.array(fc.array(values, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 }), (rows) => {
      const csv = writeCsv(rows);
      for (const separator of [";", "\t"])
        for (const cell of cells(csv, separator)) expect(cell).not.toMatch(/^[ "]*[=+\-@＝＋－＠]/);
      const read = Papa.parse<string[]>(csv.slice(0, -2), { delimiter: ",", newline: "\r\n" }).data;
      expect(read.map((row) => row.map(unguard))).toEqual(rows);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [";=1", ";'=1"],
  ["x;=1+1;-2", "x;'=1+1;'-2"],
  ["x\n=1", "x\n'=1"],
  ['a;"=1', `a;'"=1`],
  ["a; +1", "a;' +1"],
  ["x;'=1", "x;''=1"],
  ["a;b", "a;b"],
  ['{"a":"b;@c"}', `{"a":"b;'@c"}`],
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

test("an unguarded file is read unchanged", () => {
  for (const value of ["-5", "plain", "'quoted'", "=1"]) expect(unguard(value)).toBe(value);
});

test("CSV uses the quotes and line ends of RFC 4180", () => {
  expect(writeCsv([["a", 'say "x"', "b,c", "d\ne", "f;g"], ["=1"]])).toBe(
    'a,"say ""x""","b,c","d\ne","f;g"\r\n\'=1\r\n',
  );
});
