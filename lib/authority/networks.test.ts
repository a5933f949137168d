import { expect, test } from "vitest";
import { isWithin, networkList } from "@/lib/authority/networks";

test.each([
  ["203.0.113.0/24", "203.0.113.9", true],
  ["203.0.113.0/24", "203.0.114.9", false],
  ["203.0.113.0/24", "::ffff:203.0.113.9", true],
  ["203.0.113.0/24", "::ffff:203.0.114.9", false],
  ["::ffff:203.0.113.0/120", "203.0.113.9", true],
  ["::ffff:203.0.113.0/120", "203.0.114.9", false],
  ["0.0.0.0/0", "203.0.113.9", true],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["::/0", "2001:db8::1", true],
  ["2001:db8::/32", "2001:db8:1::9", true],
  ["2001:db8::/32", "2001:db9::1", false],
  ["2001:db8::/32", "203.0.113.9", false],
  ["203.0.113.9/32", "203.0.113.9", true],
  ["203.0.113.9/32", "203.0.113.8", false],
  ["0.0.0.0/0", "unknown", false],
  ["0.0.0.0/0", "", false],
])("%s and %s: %s", (network, address, expected) => {
  expect(isWithin(networkList([network]), address)).toBe(expected);
});
