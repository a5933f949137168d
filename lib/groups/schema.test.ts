import { expect, test } from "vitest";
import { RawJson } from "@/lib/json/raw-json";
import { groupRequest, tokenRotation } from "./schema";

const messages = (id: unknown) =>
  groupRequest.safeParse({ user_group_id: id }).error?.issues.map((issue) => issue.message) ?? [];

test.each(["a", "../x", "null", "0", "é", "acme\u200Bx", "👩\u200D👩\u200D👧", "a".repeat(255), "😀".repeat(255)])(
  "accepts the id %j",
  (id) => {
    expect(messages(id)).toEqual([]);
  },
);

test.each([
  [undefined, "is required"],
  [null, "must be a string"],
  [42, 'must be a string: send "42" in quotes'],
  [true, "must be a string"],
  ["", "must not be empty"],
  ["a".repeat(256), "must have at most 255 characters"],
  ["😀".repeat(256), "must have at most 255 characters"],
  [" a", "must not begin or end with white space"],
  ["a ", "must not begin or end with white space"],
  ["\u200B", "must not begin or end with white space"],
  ["\uFEFF", "must not begin or end with white space"],
  ["a\r\nb", "must not contain control characters, bidirectional ones included, or noncharacters"],
  ["a\uFDD0b", "must not contain control characters, bidirectional ones included, or noncharacters"],
  ["a\u202Eb", "must not contain control characters, bidirectional ones included, or noncharacters"],
])("refuses the id %j", (id, message) => {
  expect(messages(id)).toContain(message);
});

test("accepts a name with leading and trailing spaces, but not a blank one", () => {
  expect(groupRequest.safeParse({ user_group_id: "a", name: " Acme " }).success).toBe(true);
  expect(groupRequest.safeParse({ user_group_id: "a", name: " \u3000" }).success).toBe(false);
});

test("accepts objects for mapping and properties, null only for properties, up to 64 KiB", () => {
  const object = new RawJson("{}", "object");
  const parse = (fields: object) => groupRequest.safeParse({ user_group_id: "a", ...fields }).success;
  expect(parse({ mapping: object, properties: object })).toBe(true);
  expect(parse({ properties: null })).toBe(true);
  expect(parse({ mapping: null })).toBe(false);
  expect(parse({ mapping: new RawJson("[]", "array") })).toBe(false);
  expect(parse({ properties: new RawJson(`{"a":"${"é".repeat(32_764)}"}`, "object") })).toBe(true);
  expect(parse({ properties: new RawJson(`{"a":"${"é".repeat(32_765)}"}`, "object") })).toBe(false);
});

test("explains the fix when a client turned GET into POST", () => {
  const { error } = tokenRotation.safeParse({ user_group_id: "a" });
  expect(error?.issues[0]?.message).toContain("/api/user/get-or-create");
});
