import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const notesOf = (report: object) =>
  execFileSync(process.execPath, ["tools/release/audit.mjs"], { input: JSON.stringify(report), encoding: "utf8" });
const metadata = { dependencies: { total: 412 } };
const advisory = { title: "Leaks memory", url: "https://github.com/advisories/GHSA-1", severity: "moderate" };

test.each([
  ["nothing known", { vulnerabilities: {}, metadata }, /^None in the 412 packages, by `npm audit` on \d{4}-/m],
  [
    "a package, and one that needs it",
    { vulnerabilities: { a: { name: "a", via: [advisory] }, b: { name: "b", via: ["a"] } }, metadata },
    /:\n\n- a, moderate: \[Leaks memory\]\(https:\/\/github\.com\/advisories\/GHSA-1\)\n$/,
  ],
  ["a registry without audits", { message: "405 Method Not Allowed", statusCode: 405 }, /^Unknown: the registry /m],
])("the notes of a release say what npm audit found: %s", (_, report, expected) => {
  expect(notesOf(report)).toMatch(expected);
});
