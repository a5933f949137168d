import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const FOLDERS = ["app", "components", "lib", "prisma"];
const WRITES =
  /(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO)\s+"?(?:user_group|deleted_group|previous_token|reserved_id)\b|\b(?:group|deletedGroup|previousToken|reservedId)\s*\.\s*(?:create|update|upsert|delete)\w*\s*\(/i;

test("only lib/store writes groups", () => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => path.join(folder, file)),
  ).filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !file.startsWith("prisma/generated"));
  const writers = files.filter((file) => WRITES.test(readFileSync(file, "utf8")));
  expect(writers.map((file) => path.dirname(file))).toEqual(writers.map(() => "lib/store"));
  expect(writers.length).toBeGreaterThan(1);
});
