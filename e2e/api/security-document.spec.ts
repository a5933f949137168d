import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "@playwright/test";

const DOCUMENT = "docs/security.md";
const REFERENCE = /`((?:api|ui|faults|lib|components)\/[\w/-]+\.(?:spec|test)\.ts)`((?:,? “[^”]+”)*)/g;

/** A test's path; the document omits e2e/. */
const fileOf = (name: string) => (/^(api|ui|faults)\//.test(name) ? path.join("e2e", name) : name);

test("every test named in docs/security.md exists", () => {
  const references = [...readFileSync(DOCUMENT, "utf8").matchAll(REFERENCE)];
  expect(references.length).toBeGreaterThan(50);
  const missing = references.flatMap(([, name = "", titles = ""]) => {
    const file = fileOf(name);
    if (!existsSync(file)) return [name];
    const source = readFileSync(file, "utf8");
    const quoted = [...titles.matchAll(/“([^”]+)”/g)].map(([, title = ""]) => title);
    return quoted.filter((title) => !source.includes(title)).map((title) => `${name}: ${title}`);
  });
  expect(missing).toEqual([]);
});
