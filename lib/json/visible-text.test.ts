import { expect, test } from "vitest";
import { isVisible } from "./visible-text";

test.each([
  "",
  " ",
  "\t\n",
  "\u00a0",
  "\u3000",
  "\u200b",
  "\u200d\u200c",
  "\u2060",
  "\ufeff",
  "\u00ad",
  "\u034f",
  "\u180e",
  "\u115f\u1160",
  "\u3164",
  "\uffa0",
  "\ufe0f",
  "\u{e0041}\u{e007f}",
  "\u{e0100}",
  "\u2800",
  "\u{1d159}",
  "\u2028",
  "\u0301",
  "\u20dd",
  " \u200b\u3164 ",
  "\u202e",
])("%j is invisible", (text) => {
  expect(isVisible(text)).toBe(false);
});

test.each([
  "a",
  ".",
  " 1 ",
  "é",
  "e\u0301",
  "❤\ufe0f",
  "👩\u200d👧",
  "مَرْحَبًا",
  "क्\u200dष",
  "\ue000",
  "\u{10fffd}",
  "〜",
  "\u1d2d",
])("%j is visible", (text) => {
  expect(isVisible(text)).toBe(true);
});
