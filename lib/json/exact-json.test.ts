import fc from "fast-check";
import { expect, test } from "vitest";
import { elementTexts, memberTexts, parseKeeping } from "./exact-json";

test("members keep their order and the spelling of their values", () => {
  const text = ' { "b" : 1.0, "10":[1e2, {"a":",}"}] ,"1":"x\\"}", "__proto__":{"z":1} ,"\\u00e9":null}';
  expect(memberTexts(text)).toEqual([
    ["b", "1.0"],
    ["10", '[1e2, {"a":",}"}]'],
    ["1", '"x\\"}"'],
    ["__proto__", '{"z":1}'],
    ["é", "null"],
  ]);
  expect(elementTexts('[{"a":[1,2]},"]",  3.50 ,[]]')).toEqual(['{"a":[1,2]}', '"]"', "3.50", "[]"]);
  expect([memberTexts("{}"), elementTexts("[ ]")]).toEqual([[], []]);
  expect(parseKeeping('{"id":3,"mapping":{"2":1.0,"1":2},"list":[1]}', ["mapping"])).toEqual({
    id: 3,
    mapping: '{"2":1.0,"1":2}',
    list: [1],
  });
});

test("any object and list is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()),
      fc.array(fc.jsonValue()),
      (object, list) => {
        const read = memberTexts(JSON.stringify(object)).map(([name, value]) => [name, JSON.parse(value)]);
        expect(read).toEqual(Object.entries(JSON.parse(JSON.stringify(object))));
        expect(elementTexts(JSON.stringify(list)).map((text) => JSON.parse(text))).toEqual(
          JSON.parse(JSON.stringify(list)),
        );
      },
    ),
  );
});
