import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isWithin, networkList } from "@/lib/authority/authority";

/** The service's files that write the history, by SQL or Prisma. */
function writersOf(pattern: RegExp): string[] {
  const files = readdirSync("lib", { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  return files.filter((file) => pattern.test(readFileSync(path.join("lib", file), "utf8"))).sort();
}

test("history is written in two places, and both check the author", () => {
  expect(writersOf(/INSERT\s+INTO\s+"?audit_entry/i)).toEqual(["authority/authority.ts"]);
  expect(writersOf(/auditEntry\s*\.\s*(create|upsert|update)/)).toEqual(["audit/service.ts"]);
});

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
