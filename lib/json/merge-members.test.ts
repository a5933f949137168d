import fc from "fast-check";
import { expect, test } from "vitest";
import { isCollision, memberVersions, mergeMembers } from "./merge-members";

const merge = (base: string, mine: string, theirs: string) => mergeMembers({ base, mine, theirs });

test.each([
  ["changes of different members", '{"a":1,"b":2}', '{"a":9,"b":2}', '{"a":1,"b":8}', '{"a":9,"b":8}'],
  ["a removal and an addition", '{"a":1,"b":2}', '{"b":2}', '{"a":1,"b":2,"c":3}', '{"b":2,"c":3}'],
  ["a removal of each side", '{"a":1,"b":2,"c":3}', '{"b":2,"c":3}', '{"a":1,"b":2}', '{"b":2}'],
  ["a renamed member in its place", '{"a":1,"b":2}', '{"z":1,"b":2}', '{"a":1,"b":3}', '{"z":1,"b":3}'],
  ["additions after what they follow", '{"a":1,"b":2}', '{"a":1,"x":0,"b":2}', '{"a":1,"b":2,"y":0}'].concat(
    '{"a":1,"x":0,"b":2,"y":0}',
  ),
  ["an order of mine", '{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":1,"b":3}', '{"b":3,"a":1}'],
  ["an order of theirs", '{"a":1,"b":2}', '{"a":9,"b":2}', '{"b":2,"a":1}', '{"b":2,"a":9}'],
  ["numbers as spelled", '{"a":1.10,"b":2}', '{"a":1.10,"b":3}', '{"a":12345678901234567890,"b":2}'].concat(
    '{"a":12345678901234567890,"b":3}',
  ),
  ["nulls, which are values", '{"a":1,"b":2}', '{"a":null,"b":2}', '{"a":1,"b":null}', '{"a":null,"b":null}'],
  ["the same change of both", '{"a":1}', '{"a":2}', '{"a":2}', '{"a":2}'],
  ["none, which one side added to", "null", "null", '{"a":1}', '{"a":1}'],
  ["a removal of all", '{"a":1}', "null", '{"a":1,"b":2}', '{"b":2}'],
  ["none, which only one side changed", "null", "{}", "null", "{}"],
])("merges %s", (_, base, mine, theirs, merged) => {
  expect(merge(base, mine, theirs)).toBe(merged);
});

test("without changes of the other side a merge is the text itself", () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(object, object, (base, changed) => {
      expect(merge(base, changed, base)).toBe(changed);
      expect(merge(base, base, changed)).toBe(changed);
    }),
  );
});

test("lists members with each version's value", () => {
  expect(memberVersions({ base: '{"a":1}', mine: '{"a":2}', theirs: '{"b":3}' })).toEqual([
    { name: "b", base: undefined, mine: undefined, theirs: "3" },
    { name: "a", base: "1", mine: "2", theirs: undefined },
  ]);
});

test.each([
  [undefined, "1", "2", true],
  ["1", undefined, "2", true],
  ["1", "2", "2", false],
  ["1", "2", "1", false],
  ["1", "1", "2", false],
  ["1", "1", "1", false],
])("a member that was %s, and is %s and %s: collision %s", (base, mine, theirs, expected) => {
  expect(isCollision({ base, mine, theirs })).toBe(expected);
});
