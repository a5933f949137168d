import { expect, test } from "vitest";
import { instant, readExpiry } from "@/lib/json/instant";

const read = (text: unknown) => instant("no time").safeParse(text);

test.each([
  ["2026-11-20T08:00:00Z", "2026-11-20T08:00:00.000Z"],
  ["2026-11-20t08:00:00z", "2026-11-20T08:00:00.000Z"],
  ["2026-11-20t09:30:00.5+01:30", "2026-11-20T08:00:00.500Z"],
])("%s is %s, in either case that RFC 3339 allows", (text, at) => {
  expect(read(text).data?.toISOString()).toBe(at);
});

test.each(["2026-11-20T08:00:00", "2026-11-20", "2026-02-29t00:00:00z", "9999-12-31t23:59:59-14:00", "", 1, null])(
  "%s is not an instant",
  (value) => {
    expect(read(value).error?.issues.map(({ message }) => message)).toEqual(["no time"]);
  },
);

test.each([
  ["2026-11-20T08:00:00.000Z", "2026-11-20T08:00:00.000Z"],
  ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ["+010000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"],
  ["infinity", "9999-12-31T23:59:59.999Z"],
])("a stored expiry of %s is read as %s", (stored, read) => {
  expect(readExpiry(new Date(stored)).toISOString()).toBe(read);
});
