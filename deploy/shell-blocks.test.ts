import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

// Operators paste code blocks into a shell, and repeat them after an error.

const DOCUMENTS = ["README.md", ...readdirSync("docs").map((name) => path.join("docs", name))];
const BLOCKS = DOCUMENTS.filter((name) => name.endsWith(".md")).flatMap((document) =>
  [...readFileSync(document, "utf8").matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block),
);
const MAKES_ENV = BLOCKS.filter((block) => block.includes("> .env"));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "user-groups-blocks-"));
  writeFileSync(path.join(folder, "docker"), "#!/bin/sh\n");
  chmodSync(path.join(folder, "docker"), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a block in one shell, with a fake Docker; returns its output. */
function paste(text: string): string {
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  return execFileSync("sh", ["-c", text], { cwd: folder, env, encoding: "utf8" });
}

describe.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
  "with openssl",
  { meta: { skipped: "needs openssl" } },
  () => {
    test.each(MAKES_ENV)("pasting twice keeps the secrets and the shell's state: %s", (block) => {
      const file = path.join(folder, ".env");
      const printed = paste(`umask 022\n${block}\ncat .env\n${block}\numask`);
      const text = readFileSync(file, "utf8");
      expect(text).toMatch(
        /^SECRET_KEY=[\w+/]{43}=\nPOSTGRES_PASSWORD=[0-9a-f]{48}\nPOSTGRES_RUNTIME_PASSWORD=[0-9a-f]{48}\n$/,
      );
      expect(printed).toBe(`${text}0022\n`);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    });
  },
);

test("no block changes the shell's umask or overwrites a settings file", () => {
  expect(MAKES_ENV.length).toBeGreaterThan(0);
  const lines = BLOCKS.flatMap((block) => block.split("\n"));
  expect(lines.filter((line) => /^umask/.test(line))).toEqual([]);
  const writes = lines.filter((line) => /> \.env|install .*\/env$/.test(line));
  expect(writes.filter((line) => !/^\[ -e [\w./-]+env \] \|\| /.test(line))).toEqual([]);
});
