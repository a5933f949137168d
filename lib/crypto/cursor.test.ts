import { expect, test } from "vitest";
import { openCursor, writeCursor } from "@/lib/crypto/cursor";

const PLACE = { name: "Ünïted", id: 7 };
const cursor = writeCursor("groups by name", PLACE);

test("a cursor leads back to its place", () => {
  expect(openCursor("groups by name", cursor)).toEqual(PLACE);
});

test.each([
  ["of another list", "groups by id", cursor],
  ["cut", "groups by name", cursor.slice(0, -4)],
  ["with a changed place", "groups by name", `${cursor.slice(0, -2)}AA`],
  ["with a changed checksum", "groups by name", `AAAA${cursor.slice(4)}`],
  ["padded", "groups by name", `${cursor}=`],
  ["empty", "groups by name", ""],
])("a cursor %s is refused", (_, scope, given) => {
  expect(openCursor(scope, given)).toBeUndefined();
});
