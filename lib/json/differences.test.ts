import { expect, test } from "vitest";
import { differencesOf } from "@/lib/json/differences";

const linesOf = (before: string, after: string) =>
  differencesOf(before, after).map(({ path, before: was, after: is }) => `${path.join("/")}: ${was} → ${is}`);

test("finds members changed, added or removed at any depth", () => {
  const before = '{"a":{"b":{"c":1,"gone":[1]},"same":{"x":null}},"list":[{"y":1}]}';
  const after = '{"a":{"b":{"c":2,"new":{"z":1}},"same":{"x":null}},"list":[{"y":2}]}';
  expect(linesOf(before, after)).toEqual([
    "a/b/c: 1 → 2",
    "a/b/gone: [1] → undefined",
    'a/b/new: undefined → {"z":1}',
    'list: [{"y":1}] → [{"y":2}]',
  ]);
});

test("compares numbers by spelling, and null as a value", () => {
  expect(linesOf('{"a":1.5,"b":1e3,"c":null}', '{"a":1.50,"b":1000,"c":0}')).toEqual([
    "a: 1.5 → 1.50",
    "b: 1e3 → 1000",
    "c: null → 0",
  ]);
  expect(linesOf('{"a":null}', "{}")).toEqual(["a: null → undefined"]);
});

test("ignores the order of members, but not of lists", () => {
  expect(linesOf('{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}')).toEqual([]);
  expect(linesOf('{"a":[1,2]}', '{"a":[2,1]}')).toEqual(["a: [1,2] → [2,1]"]);
});

test("handles an object that becomes another value, and names such as __proto__", () => {
  expect(linesOf('{"a":{"b":1}}', '{"a":"b"}')).toEqual(['a: {"b":1} → "b"']);
  expect(linesOf('{"__proto__":{"a":1},"":1}', '{"__proto__":{"a":2},"":2}')).toEqual([
    "__proto__/a: 1 → 2",
    ": 1 → 2",
  ]);
});
