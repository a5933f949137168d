import { expect, test } from "vitest";
import { z } from "zod";
import { openCursor, writeCursor } from "@/lib/crypto/cursor";

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
