import fc from "fast-check";
import { distance } from "fastest-levenshtein";
import { expect, test } from "vitest";
import { isOneLetterApart, nearNames } from "./near-names";

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

test.each(["plan", "price", "limit9", "limit_3", "id", "xy", "reg"])("%s is taken for no other", (name) => {
  expect(nearNames(["plan", "region", "limit1", "limit_2", "if", "xz"], new Map())(name)).toBeUndefined();
});

test("a frequent name is meant by one that is a tenth as frequent, and by no other", () => {
  const likeOf = (count: number) =>
    nearNames([], new Map(Object.entries({ customer: 100, custmer: count })))("custmer");
  expect([likeOf(2), likeOf(10), likeOf(11)]).toEqual(["customer", "customer", undefined]);
  expect(nearNames([], new Map([["customer", 9]]))("custmer")).toBeUndefined();
  expect(nearNames([], new Map([["customer", 10]]))("custmer")).toBe("customer");
  // What is defined is meant.
  expect(nearNames(["custmer"], new Map([["customer", 1_000]]))("custmer")).toBeUndefined();
  expect(nearNames(["custmer"], new Map([["customer", 1_000]]))("customer")).toBe("custmer");
});

test("one letter apart is a distance of one, or two neighbours swapped", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 3, maxLength: 7 });
  const swapped = (one: string, other: string) =>
    Array.from(one.slice(1), (_, n) => one.slice(0, n) + one[n + 1] + one[n] + one.slice(n + 2)).includes(other);
  fc.assert(
    fc.property(word, word, (one, other) => {
      fc.pre(one !== other && Math.max(one.length, other.length) >= 4);
      expect(isOneLetterApart(one, other)).toBe(distance(one, other) === 1 || swapped(one, other));
    }),
    { numRuns: 3_000 },
  );
});

test("a name is found among thousands in an instant", () => {
  const many = Array.from({ length: 20_000 }, (_, n) => `customer_${n.toString(36).replace(/\d/g, "x")}_name`);
  const likeOf = nearNames(many.slice(0, 500), new Map(many.map((name) => [name, 50])));
  const start = performance.now();
  for (const name of many) likeOf(`${name}s`);
  expect(performance.now() - start).toBeLessThan(5_000);
});
