import { expect, test } from "vitest";
import { describeProblem, findProblems, type JsonRules } from "./problems";

const say = (text: string, rules?: JsonRules) => findProblems(text, rules).map(describeProblem);

test.each<[string, JsonRules]>([
  ["{}", {}],
  [' {\n"a": 1.10} ', {}],
  ["", {}],
  [" \n", {}],
  ["null", { nullable: true }],
  [" null\n", { nullable: true }],
  [`{"a":"${"é".repeat(32_764)}"}`, {}],
  [`{ "a" : "${"a".repeat(65_528)}"${" ".repeat(1000)}}`, {}],
])("accepts %.40j with %j", (text, rules) => {
  expect(say(text, rules)).toEqual([]);
});

test.each<[string, JsonRules, string[]]>([
  ["", { required: true }, ["Must not be empty"]],
  ["null", {}, ["Line 1: must be a JSON object"]],
  ["\r\n\n []", { nullable: true }, ["Line 3: must be a JSON object or null"]],
  [`{"a":"${"é".repeat(32_765)}"}`, {}, ["Must have at most 64 KiB"]],
  ['{"a":1}', { maxBytes: 4 }, ["Must have at most 0.00390625 KiB"]],
  ['{\n  "a": 1\n  "b": 2\n}', {}, ["Line 3: a comma is missing before this"]],
])("reports for %.40j with %j: %j", (text, rules, sentences) => {
  expect(say(text, rules)).toEqual(sentences);
});

test("finds one syntax problem a line, and every other problem", () => {
  expect(say('{\n"a": 1,\n"a": 1e400,\n"b": "\\ud800",\n"\\u0000": [1,]}')).toEqual([
    'Line 3: duplicate member name "a"',
    "Line 3: too large or too precise for most JSON readers: put it in quotes",
    "Line 4: unpaired surrogate",
    "Line 5: a NUL character (\\u0000) cannot be stored",
    "Line 5: expected a value; no comma is allowed before a closing bracket",
  ]);
  expect(say('{\n"a": abc,\n"b": 1 "c": 2,\n"d": [1 2],\n}')).toEqual([
    "Line 2: put names and text in double quotes",
    "Line 3: a comma is missing before this",
    "Line 4: a comma is missing before this",
    "Line 5: expected a member name in double quotes; no comma is allowed before a closing brace",
  ]);
});
