import fc from "fast-check";
import { expect, test } from "vitest";
import { PROPERTY_TYPES } from "@/lib/definitions/value-types";
import { checkValue } from "@/lib/json/json";
import { literalOf, readDraft, typedOf, writeDraft } from "./draft";

test("definitions survive a round trip through rows, with exact numbers and order", () => {
  const text =
    '{"properties":{"10":{"type":"string","required":false,"default":"5","enum":["","5","a b","EU "," "],"description":null,"overridable":true,"viewer_visible":false},' +
    '"seats":{"type":"number","required":true,"default":1234567.10,"enum":null,"description":"How many","overridable":false,"viewer_visible":true},' +
    '"l":{"type":"string[]","required":false,"default":["eu"],"enum":["eu","u\\ns"],"description":null,"overridable":false,"viewer_visible":false}},' +
    '"unknown_properties":"refuse","schemas":{"40":{"name":"Orders","required":true}},' +
    '"data_sources":{"213":{"name":null,"provided_id":"eu","schemas":["40","134"]},"b":{"name":null,"provided_id":null,"schemas":["a b",""]}},"enforcement":"enforce","creations":"report"}';
  const draft = readDraft(text);
  expect(writeDraft(draft)).toBe(text);
  expect(draft.properties.map(({ default: typed }) => typed)).toEqual(["5", "1234567.10", '["eu"]']);
  expect(draft.properties[0]?.enum).toBe('""\n5\na b\n"EU "\n" "');
  expect(draft.data_sources.map(({ schemas }) => schemas)).toEqual(["40, 134", '["a b",""]']);
});

test.each([
  ["string", "pro", '"pro"'],
  ["string", "5", '"5"'],
  ["string", '"5"', '"5"'],
  ["string", '""', '""'],
  ["string", '"a', '"\\"a"'],
  ["integer", " 5 ", "5"],
  ["integer", "five", '"five"'],
  ["number", "1.50", "1.50"],
  ["date", "2026-11-30", '"2026-11-30"'],
  ["string[]", '["a", "b"]', '["a","b"]'],
  ["any", "pro", '"pro"'],
  ["any", "5", "5"],
] as const)("a %s typed as %s is %s", (type, typed, literal) => {
  expect(literalOf(type, typed)).toBe(literal);
});

test("any displayed value can be typed back", () => {
  const value = fc.oneof(
    fc.json({ maxDepth: 1, noUnicodeString: false }).map((text) => JSON.stringify(JSON.parse(text))),
    fc.constantFrom('"\\u0041"', '"\\n"', '"\\"x\\""', "1.50e2", '" a "', '"5"', '"true"'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...PROPERTY_TYPES), value, (type, literal) => {
      const isNumberText = type === "string" && !literal.startsWith('"');
      // Such numbers are refused everywhere.
      fc.pre(checkValue(literal).errors.length === 0);
      fc.pre(!isNumberText && !(type === "date" && !literal.startsWith('"')));
      expect(literalOf(type, typedOf(type, literal))).toBe(literal);
    }),
  );
});
