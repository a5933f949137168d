import { afterAll, beforeAll, expect, test } from "vitest";
import { readLocal, writeLocal } from "@/components/ui/local-time";
import { zoneAt } from "@/components/ui/time-zone";

const zone = process.env.TZ;
beforeAll(() => {
  process.env.TZ = "America/New_York";
});
afterAll(() => {
  process.env.TZ = zone;
});

test.each([
  "2026-11-20T08:00:42.123Z",
  // 01:30 occurs twice in the night when clocks go back.
  "2026-11-01T05:30:00.000Z",
  "2026-11-01T06:30:00.000Z",
  "2026-03-08T06:59:59.999Z",
])("an untouched field keeps %s", (stored) => {
  expect(readLocal(writeLocal(stored, "time"), stored, "time")).toBe(stored);
});

test("an untouched field keeps its second 01:30 where the browser leaves out the seconds", () => {
  expect(readLocal("2026-11-01T01:30", "2026-11-01T06:30:00.000Z", "time")).toBe("2026-11-01T06:30:00.000Z");
});

test.each([
  ["2026-11-20T08:00", "2026-11-20T13:00:00.000Z"],
  ["2026-11-20T08:00:01", "2026-11-20T13:00:01.000Z"],
  ["1970-01-02T00:00", "1970-01-02T05:00:00.000Z"],
  ["9999-12-30T23:59:59", "9999-12-31T04:59:59.000Z"],
  ["", null],
  ["12026-11-20T08:00", undefined],
  ["275760-11-20T08:00", undefined],
  ["9999-12-31T08:00", undefined],
  ["0026-11-20T08:00", undefined],
  ["2026-11-20T", undefined],
])("the time %j is read as %j", (text, at) => {
  expect(readLocal(text, "2026-11-20T08:00:42.123Z", "time")).toBe(at);
});

test("a day means its end in the browser's zone", () => {
  expect(readLocal("2026-11-20", null, "day")).toBe("2026-11-21T04:59:59.000Z");
  expect(readLocal("12026-11-20", null, "day")).toBeUndefined();
});

test("the zone is the one in effect at the instant", () => {
  expect(zoneAt("2026-11-01T05:30:00.000Z")).toBe("EDT");
  expect(zoneAt("2026-11-01T06:30:00.000Z")).toBe("EST");
});
