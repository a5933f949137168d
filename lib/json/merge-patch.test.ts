import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mergePatch, patchBetween } from "@/lib/json/merge-patch";

/** RFC 7396, section 2, applied to values. */
function reference(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, reference(members.get(name), value));
  }
  const merged = {};
  for (const [name, value] of members) Object.defineProperty(merged, name, { value, enumerable: true });
  return merged;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Few names, so that documents and patches overlap.
const name = fc.constantFrom("a", "b", "c", "", "__proto__", "é", '"', "1");
const { value: json } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string({ unit: "grapheme" }),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 5, noNullPrototype: true }),
  ),
}));
const object = fc.dictionary(name, json, { maxKeys: 6, noNullPrototype: true });

describe("a merge patch", () => {
  test("follows RFC 7396", () => {
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const merged = mergePatch(JSON.stringify(target), JSON.stringify(patch));
        expect(JSON.parse(merged)).toEqual(reference(target, patch));
        expect(mergePatch(merged, JSON.stringify(patch))).toBe(merged);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    [
      '{"n":1.10,"a":{"x":1E2,"\\u0079":"\\u00e9"},"z":9007199254740991}',
      '{"a":{"x":2}}',
      '{"n":1.10,"a":{"x":2,"\\u0079":"\\u00e9"},"z":9007199254740991}',
    ],
    ['{"b":1,"a":2}', '{"c":3,"b":4}', '{"b":4,"a":2,"c":3}'],
    ['{"\\u0061":1}', '{"a":2}', '{"\\u0061":2}'],
    ['{"a":1}', '{"b":{"c":null,"d":{"e":null}}}', '{"a":1,"b":{"d":{}}}'],
    ['{"a":[1,2]}', '{"a":[{"b":null}]}', '{"a":[{"b":null}]}'],
    ['{"a":"text"}', '{"a":{"b":1}}', '{"a":{"b":1}}'],
    ['{"a":1}', '{"a":null}', "{}"],
    ['{"a":1}', "{}", '{"a":1}'],
  ])("keeps the bytes of unnamed members: %s with %s", (target, patch, merged) => {
    expect(mergePatch(target, patch)).toBe(merged);
  });
});

describe("the patch between two texts", () => {
  test.each([
    ['{"a":1.10,"b":2,"c":3}', '{"a":1.1,"c":3,"d":[1]}', '{"a":1.1,"d":[1],"b":null}'],
    ['{"a":1}', '{"a":1}', "{}"],
    ['{"a":{"x":1}}', '{"a":{"x":2}}', '{"a":{"x":2}}'],
  ])("from %s to %s is %s", (was, wanted, patch) => {
    expect(patchBetween(was, wanted)).toBe(patch);
  });

  test.each([
    ["a null", '{"a":1}', '{"a":null}'],
    ["another order", '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ["an addition before others", '{"a":1}', '{"b":2,"a":1}'],
    ["a removal within an object", '{"a":{"x":1,"y":2}}', '{"a":{"x":1}}'],
  ])("cannot say %s", (_, was, wanted) => {
    expect(patchBetween(was, wanted)).toBeUndefined();
  });
});
