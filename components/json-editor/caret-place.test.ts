import { expect, test } from "vitest";
import { caretPlace } from "./caret-place";

/** The place of the caret, a | in the text. */
const placeIn = (marked: string) => caretPlace(marked.replace("|", ""), marked.indexOf("|"));
/** The text that a choice replaces. */
const replacedIn = (marked: string) => {
  const place = placeIn(marked);
  return place && marked.replace("|", "").slice(place.from, place.to);
};

test.each([
  ["{|}", "", []],
  ['{"pl|}', "pl", []],
  ['{"pl|an": 1, "b": 2}', "pl", ["b"]],
  ['{"a": 1, |"b": [{"c": 3}]}', "", ["a", "b"]],
  ['{"a": {"b": 1},\n  "|\n}', "", ["a"]],
  ['{\n  "|\n  "a": 1\n}', "", ["a"]],
  ['{"|"a": 1}', "", ["a"]],
  ["{pl|}", "pl", []],
  ['{"a\\"b": "x, {", "c|": 1}', "c", ['a"b']],
  ['{"a": 1,| "b": 2, "b": 3}', "", ["a", "b"]],
])("%s completes a key", (marked, typed, keys) => {
  expect(placeIn(marked)).toMatchObject({ part: "key", typed, keys: new Set(keys), commaAt: undefined });
});

test.each([
  ['{"plan": |}', "value", "plan", ""],
  ['{"plan":"fr|"}', "value", "plan", "fr"],
  ['{"plan":\n"fr|,\n"b": 1}', "value", "plan", "fr"],
  ['{"on": tr|}', "value", "on", "tr"],
  ['{"a": 1, "b": |"x"}', "value", "b", ""],
  ['{"tags": [|]}', "item", "tags", ""],
  ['{"tags": ["a", "b|"]}', "item", "tags", "b"],
  ['{"tags": ["a", "|]}', "item", "tags", ""],
])("%s completes a value", (marked, part, key, typed) => {
  expect(placeIn(marked)).toMatchObject({ part, key, typed });
});

test.each([
  "|",
  "|{}",
  "{}|",
  '{"a"|}'.replace("|", " |"),
  '{"a": {"|"}}',
  '{"a": [{"|"}]}',
  '{"a": [["|"]]}',
  '["|"]',
  '"|"',
  '{"a": ["b" |]}',
])("%s completes nothing", (marked) => {
  expect(placeIn(marked)).toBeUndefined();
});

test("a choice replaces the whole token, or the typed part of an unfinished string", () => {
  expect(replacedIn('{"plan": "fr|ee", "b": "x"}')).toBe('"free"');
  expect(replacedIn('{"pl|an": 1}')).toBe('"plan"');
  expect(replacedIn('{"plan": 12|.50}')).toBe("12.50");
  expect(replacedIn('{"plan": "fr|, "b": "x"}')).toBe('"fr');
  expect(replacedIn('{"pl|}')).toBe('"pl');
  expect(replacedIn('{"a": 1, "|"b": 2}')).toBe('"');
});

test("a key's place includes its colon and missing commas", () => {
  expect(placeIn('{"|": 1}')).toMatchObject({ hasColon: true, isFollowed: false });
  expect(placeIn("{|}")).toMatchObject({ hasColon: false, isFollowed: false });
  expect(placeIn('{| "b": 1}')).toMatchObject({ hasColon: false, isFollowed: true });
  expect(placeIn('{"|, "b": 1}')).toMatchObject({ hasColon: false, isFollowed: false });
  for (const end of ["1", '"x"', "{}", "[1]", "true"])
    expect(placeIn(`{"a": ${end}\n"|\n}`)).toMatchObject({ part: "key", typed: "", commaAt: 6 + end.length });
});
