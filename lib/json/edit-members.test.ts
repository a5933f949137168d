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

test("members are renamed at the same time, and none to a name that another keeps or gets", () => {
  const swap = [
    ["41", "42"],
    ["40", "41"],
  ] as const;
  expect(renameMembers('{"40":1,"41":2}', swap, refuse)).toBe('{"41":1,"42":2}');
  expect(renameMembers('{"40":1}', swap.toReversed(), refuse)).toBe('{"41":1}');
  expect(() => renameMembers('{"a":1,"b":2}', [["a", "b"]], refuse)).toThrow("a to b");
  const both = ["a", "b"].map((name) => [name, "c"] as const);
  expect(() => renameMembers('{"a":1,"b":2}', both, refuse)).toThrow("b to c");
});
