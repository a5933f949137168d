import { expect, test } from "vitest";
import { z } from "zod";
import { openCursor, pageOf, ROW_NUMBER, writeCursor } from "@/lib/crypto/cursor";

const SHAPE = z.strictObject({ name: z.string(), id: z.int() });
const PLACE = { name: "Ünïted", id: 7 };
const cursor = writeCursor("groups by name", PLACE);
const open = (scope: string, given: string) => openCursor(scope, SHAPE, { cursor: given, refusal: "is no cursor" });

test("a cursor leads back to its place", () => {
  expect(open("groups by name", cursor)).toEqual(PLACE);
});

test.each([
  ["of another list", "groups by id", cursor],
  ["cut", "groups by name", cursor.slice(0, -4)],
  ["with a changed place", "groups by name", `${cursor.slice(0, -2)}AA`],
  ["with a changed checksum", "groups by name", `AAAA${cursor.slice(4)}`],
  ["padded", "groups by name", `${cursor}=`],
  ["empty", "groups by name", ""],
  ["with a place of another shape", "groups by name", writeCursor("groups by name", { id: 7 })],
])("a cursor %s is refused", (_, scope, given) => {
  expect(() => open(scope, given)).toThrow(
    expect.objectContaining({ issues: [{ path: ["cursor"], message: "is no cursor" }] }),
  );
});

test("a page has a cursor, of its last row, if one more was read", () => {
  const page = (...read: number[]) => pageOf(read, 2, String);
  expect(page(1, 2, 3)).toEqual({ rows: [1, 2], nextCursor: "2" });
  expect(page(1, 2)).toEqual({ rows: [1, 2], nextCursor: null });
  expect(page()).toEqual({ rows: [], nextCursor: null });
});

test.each([
  ["1234567890", true],
  ["", false],
  ["1e3", false],
  ["9".repeat(19), false],
])("whether %j is the number of a row: %s", (text, expected) => {
  expect(ROW_NUMBER.safeParse(text).success).toBe(expected);
});
