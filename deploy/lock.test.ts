import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";

const entry = z.object({
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  inBundle: z.boolean().optional(),
});
const lock = z
  .object({ packages: z.record(z.string(), entry) })
  .parse(JSON.parse(readFileSync("package-lock.json", "utf8")));
// The entry without a name is this project; bundled packages arrive within the package that contains them.
const packages = Object.entries(lock.packages).filter(([name, { inBundle }]) => name !== "" && !inBundle);

test("package-lock.json has the SHA-512 of every package, and npm verifies it", () => {
  expect(packages.length).toBeGreaterThan(500);
  const unchecked = packages.filter(([, { integrity = "" }]) => !/^sha512-[\w+/]{86}==$/.test(integrity));
  expect(unchecked.map(([name]) => name)).toEqual([]);
});

test("package-lock.json names no registry, so that npm uses the configured one", () => {
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
