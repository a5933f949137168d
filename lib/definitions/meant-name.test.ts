import { expect, test } from "vitest";
import { meantNames } from "./meant-name";

test.each([
  ["Plan", "plan"],
  ["seatCount", "seat_count"],
  ["seat-count", "seat_count"],
  ["regoin", "region"],
  ["regions", "region"],
])("%s is taken for the defined %s", (name, meant) => {
  expect(meantNames(["plan", "region", "seat_count"], new Map())(name)).toBe(meant);
});

test.each(["price", "limit9", "limit_3", "updated_at", "id", "reg"])("%s is not misspelled", (name) => {
  const defined = ["plan", "region", "limit1", "limit_2", "created_at", "if"];
  expect(meantNames(defined, new Map())(name)).toBeUndefined();
});

test("a name may be meant to be another that is at least ten times as frequent", () => {
  const meant = (count: number) =>
    meantNames([], new Map(Object.entries({ customer: 100, custmer: count })))("custmer");
  expect([meant(2), meant(10), meant(11)]).toEqual(["customer", "customer", undefined]);
  expect(meantNames([], new Map([["customer", 9]]))("custmer")).toBeUndefined();
  expect(meantNames(["custmer"], new Map([["customer", 1_000]]))("customer")).toBe("custmer");
});
