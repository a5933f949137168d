import fc from "fast-check";
import { expect, test } from "vitest";
import { checkValue } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";
import { addMembers, readTable, removeMember, splice } from "./rows";

/** JSON objects in any white space and spelling, as parts of their members. */
const space = fc.constantFrom("", " ", "\n", "\r\n  ", "\t", " \n ");
const escaped = fc
  .string({ unit: "grapheme" })
  .map((text) => JSON.stringify(text).replace(/[ab/]/g, (found) => `\\u00${found.charCodeAt(0).toString(16)}`));
const name = fc.oneof(
  fc.string().map((text) => JSON.stringify(text)),
  escaped,
  fc.constantFrom('"__proto__"', '"constructor"', '"10"', '"2"', '"01"', '""'),
);
const literal = fc.oneof(
  fc.constantFrom("1.10", "1E2", "-0", "0.0", "true", "false", "null", "{ }", '{"a" :[1.0, "}"]}', "[ ]", '"\\u0041"'),
  fc.string().map((text) => JSON.stringify(text)),
  fc.integer().map(String),
);
const member = fc.record({ name, literal, a: space, b: space, c: space, d: space });
const object = fc
  .record({
    members: fc.uniqueArray(member, { selector: ({ name }) => JSON.parse(name), maxLength: 8 }),
    outside: space,
    inside: space,
  })
  .filter(({ members }) => members.every((one) => checkValue(one.name).errors.length === 0))
  .map(({ members, outside, inside }) => {
    const inner = members.map(({ name, literal, a, b, c, d }) => `${a}${name}${b}:${c}${literal}${d}`).join(",");
    return { members, text: `${outside}{${members.length === 0 ? inside : inner}}${outside}` };
  });
const filled = object.filter(({ members }) => members.length > 0);

const spellings = (text: string) =>
  readTable(text)?.rows.map(({ keySpan, literal }) => [text.slice(keySpan.from, keySpan.to), literal]);
const isObject = (text: string) => checkValue(text).value instanceof RawJson;

test("reads every member as spelled, in order", () => {
  fc.assert(
    fc.property(object, ({ members, text }) => {
      expect(spellings(text)).toEqual(members.map(({ name, literal }) => [name, literal]));
    }),
  );
});

test("replacing a value changes only that member, and putting it back restores the text", () => {
  fc.assert(
    fc.property(filled, fc.nat(), literal, ({ text }, at, replacement) => {
      const rows = readTable(text)?.rows ?? [];
      const index = at % rows.length;
      const span = rows[index]?.valueSpan ?? { from: 0, to: 0 };
      const before = spellings(text) ?? [];
      const changed = splice(text, span, replacement);
      expect(spellings(changed)).toEqual(before.map((pair, i) => (i === index ? [pair[0], replacement] : pair)));
      const back = readTable(changed)?.rows[index];
      expect(splice(changed, back?.valueSpan ?? span, back ? text.slice(span.from, span.to) : "")).toBe(text);
    }),
  );
});

test("adding a member keeps the others, and removing it restores the text", () => {
  fc.assert(
    fc.property(object, fc.string(), literal, ({ members, text }, key, value) => {
      const added = addMembers(text, [{ key, literal: value }]);
      expect(spellings(added)).toEqual([
        ...members.map(({ name, literal }) => [name, literal]),
        [JSON.stringify(key), value],
      ]);
      if (members.length > 0) expect(removeMember(added, members.length)).toBe(text);
    }),
  );
});

test("removing a member keeps the others", () => {
  fc.assert(
    fc.property(filled, fc.nat(), ({ members, text }, at) => {
      const index = at % members.length;
      const removed = removeMember(text, index);
      expect(isObject(removed)).toBe(true);
      expect(spellings(removed)).toEqual(
        members.filter((_, i) => i !== index).map(({ name, literal }) => [name, literal]),
      );
    }),
  );
});

test.each([
  ["", '{\n  "a": 1\n}'],
  [" \n", '{\n  "a": 1\n}'],
  ["{}", '{\n  "a": 1\n}'],
  ['{"x":2}', '{"x":2,"a":1}'],
  ['{ "x": 2 }', '{ "x": 2, "a": 1 }'],
  ['{\n  "x": 2,\n  "y" : 3\n}', '{\n  "x": 2,\n  "y" : 3,\n  "a" : 1\n}'],
])("adds to %j in the style of the last member", (text, added) => {
  expect(addMembers(text, [{ key: "a", literal: "1" }])).toBe(added);
});

test("adding several members equals adding them one by one", () => {
  fc.assert(
    fc.property(object, fc.array(fc.record({ key: fc.string(), literal }), { maxLength: 4 }), ({ text }, members) => {
      const oneByOne = members.reduce((before, one) => addMembers(before, [one]), text);
      expect(spellings(addMembers(text, members))).toEqual(spellings(oneByOne));
    }),
  );
});

test("reads duplicates and unsafe numbers with their errors, and accepts only objects", () => {
  const table = readTable('{"a":1,"a":9007199254740993}');
  expect(table?.rows.map(({ key, literal }) => [key, literal])).toEqual([
    ["a", "1"],
    ["a", "9007199254740993"],
  ]);
  expect(table?.errors.map(({ place }) => place.offset)).toEqual([7, 11]);
  for (const text of ["[]", "1", "null", "{", '{"a":}', "{}{}"]) expect(readTable(text)).toBeUndefined();
});
