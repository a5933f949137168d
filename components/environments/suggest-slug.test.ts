import { expect, test } from "vitest";
import { suggestSlug } from "./suggest-slug";

test.each([
  ["Staging", "staging"],
  ["Près de  Lyon", "pres-de-lyon"],
  ["  EU (west) ", "eu-west"],
  ["2nd try", "nd-try"],
  ["日本", ""],
  ["Ｆull", "full"],
  [`${"a".repeat(39)} b`, "a".repeat(39)],
])("the slug of %j is %j", (name, slug) => {
  expect(suggestSlug(name)).toBe(slug);
});
