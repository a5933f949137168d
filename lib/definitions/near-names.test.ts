import { expect, test } from "vitest";
import { nearNames } from "./near-names";

test.each([
  ["Plan", "plan"],
  ["PLAN", "plan"],
  ["seatCount", "seat_count"],
  ["seat-count", "seat_count"],
  ["seat count", "seat_count"],
  ["regoin", "region"],
  ["regio", "region"],
  ["regions", "region"],
  ["rexion", "region"],
])("%s is taken for the defined %s", (name, like) => {
  expect(nearNames(["plan", "region", "seat_count"], new Map())(name)).toBe(like);
});

test.each(["plan", "price", "limit9", "limit_3", "id", "xy", "reg"])("%s resembles no defined name", (name) => {
  expect(nearNames(["plan", "region", "limit1", "limit_2", "if", "xz"], new Map())(name)).toBeUndefined();
});

test("a name suggests another that is at least ten times as frequent", () => {
  const likeOf = (count: number) =>
    nearNames([], new Map(Object.entries({ customer: 100, custmer: count })))("custmer");
  expect([likeOf(2), likeOf(10), likeOf(11)]).toEqual(["customer", "customer", undefined]);
  expect(nearNames([], new Map([["customer", 9]]))("custmer")).toBeUndefined();
  expect(nearNames([], new Map([["customer", 10]]))("custmer")).toBe("customer");
  expect(nearNames([], new Map(Object.entries({ customer: 10, Customer: 5 })))("Customer")).toBeUndefined();
  // A defined name is never a misspelling.
  expect(nearNames(["custmer"], new Map([["customer", 1_000]]))("custmer")).toBeUndefined();
  expect(nearNames(["custmer"], new Map([["customer", 1_000]]))("customer")).toBe("custmer");
});
