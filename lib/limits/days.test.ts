import { expect, test } from "vitest";
import { countsOf, daysIn, daysUpTo, monthsOf } from "@/lib/limits/days";

const days = daysUpTo("2024-03-01", 3);

test("so many days end with the last one, across a month's end", () => {
  expect(days).toEqual({ from: "2024-02-28", to: "2024-03-01" });
  expect(daysIn(days)).toBe(3);
  expect(monthsOf(days)).toEqual(["2024-02-01", "2024-03-01"]);
});

test("counts of rows are summed by day, and days outside are left out", () => {
  const february = { month: "2024-02-01", days: [...new Array<number>(27).fill(9), "1", null] };
  const march = { month: "2024-03-01", days: [2, 9] };
  expect(countsOf([february, march, march], days)).toEqual([1, 0, 4]);
});
