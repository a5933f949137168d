import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

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
