import { expect, test } from "vitest";
import { deleteMember, renameMember } from "@/lib/json/edit-members";

const OBJECT = '{"z":1.50,"\\u0062":{"x":null},"a":"\\",\\u2028","10":[1e2],"1":9007199254740991}';

test.each([
  ["z", '{"\\u0062":{"x":null},"a":"\\",\\u2028","10":[1e2],"1":9007199254740991}'],
  ["b", '{"z":1.50,"a":"\\",\\u2028","10":[1e2],"1":9007199254740991}'],
  ["x", OBJECT],
])("removing %j keeps the bytes and order of the others", (name, expected) => {
  expect(deleteMember(OBJECT, name)).toBe(expected);
});

test("the last member is removed", () => {
  expect(deleteMember('{"a":1}', "a")).toBe("{}");
});

test.each([
  ["b", "B", '{"z":1.50,"B":{"x":null},"a":"\\",\\u2028","10":[1e2],"1":9007199254740991}'],
  ["1", "0", '{"z":1.50,"\\u0062":{"x":null},"a":"\\",\\u2028","10":[1e2],"0":9007199254740991}'],
  ["x", "y", OBJECT],
])("renaming %j keeps the value, the other members and the order", (name, to, expected) => {
  expect(renameMember(OBJECT, name, to)).toBe(expected);
});
