import { expect, test } from "vitest";
import { closestName } from "./closest-name";

test.each([
  ["plna", "plan"],
  ["Regoin", "region"],
  ["", undefined],
  ["seatsPerMonth", undefined],
  ["p".repeat(33), undefined],
])("%s was probably meant to be %s", (name, meant) => {
  expect(closestName(name, ["plan", "region", "", "p".repeat(32)])).toBe(meant);
});

test("a nearer name in which too much is wrong hides no other", () => {
  expect(closestName("abcdef", ["abc", "abcdefghij"])).toBe("abcdefghij");
});
