import { expect, test } from "vitest";
import { z } from "zod";
import { checkFields } from "./fields";

test("of very many problems the first hundred are listed", () => {
  const members = { all: Array.from({ length: 30_000 }, () => "x") };
  const { issues = [] } = checkFields(members, z.strictObject({ all: z.array(z.int("must be a whole number")) }));
  expect(issues).toHaveLength(100);
  expect(issues.at(-1)).toEqual({ path: ["all", 99], message: "must be a whole number; and 29900 more problems" });
});

test("a long unknown name is cut, but not inside a character", () => {
  const { issues } = checkFields({ [`${"y".repeat(99)}😀`]: 1 }, z.strictObject({}));
  expect(issues?.map(({ path }) => path)).toEqual([["y".repeat(99)]]);
});
