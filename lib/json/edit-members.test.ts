import { expect, test } from "vitest";
import { deleteMembers, renameMembers } from "@/lib/json/edit-members";

const OBJECT = '{"z":1.50,"\\u0062":{"x":null},"a":"\\",\\u2028","10":[1e2],"1":9007199254740991}';

const refuse = (name: string, to: string): never => {
  throw new Error(`${name} to ${to}`);
};

test.each([
  ["z", '{"\\u0062":{"x":null},"a":"\\",\\u2028","10":[1e2],"1":9007199254740991}'],
  ["b", '{"z":1.50,"a":"\\",\\u2028","10":[1e2],"1":9007199254740991}'],
  ["x", OBJECT],
])("removing %j keeps the bytes and order of the others", (name, expected) => {
  expect(deleteMembers(OBJECT, new Set([name]))).toBe(expected);
});

test("the last member is removed", () => {
  expect(deleteMembers('{"a":1}', new Set(["a", "b"]))).toBe("{}");
});

test.each([
  ["b", "B", '{"z":1.50,"B":{"x":null},"a":"\\",\\u2028","10":[1e2],"1":9007199254740991}'],
  ["1", "0", '{"z":1.50,"\\u0062":{"x":null},"a":"\\",\\u2028","10":[1e2],"0":9007199254740991}'],
  ["x", "y", OBJECT],
])("renaming %j keeps the value, the other members and the order", (name, to, expected) => {
  expect(renameMembers(OBJECT, [[name, to]], refuse)).toBe(expected);
});

test("members are renamed one after the other, and none to a name that another has by then", () => {
  expect(
    renameMembers(
      '{"a":1,"b":2}',
      [
        ["b", "c"],
        ["a", "b"],
        ["c", "d"],
      ],
      refuse,
    ),
  ).toBe('{"b":1,"d":2}');
  expect(() => renameMembers('{"a":1,"b":2}', [["a", "b"]], refuse)).toThrow("a to b");
});
