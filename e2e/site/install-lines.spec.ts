import { readFile } from "node:fs/promises";
import { expect, test } from "@playwright/test";
import { listFiles } from "../fixtures/checkout";
import { ASSETS } from "../fixtures/release";
import { run } from "../fixtures/run";

// Our clients are files of a release until they are published: tools/release/install-lines.ts.

interface Installer {
  /** what it is given in the documents */
  line: RegExp;
  /** succeeds where packages can be looked up */
  probe: string[];
  /** succeeds if a package exists */
  lookUp: (name: string, folder: string) => string[];
}

const NPM = { probe: ["npm", "ping"], lookUp: (name: string) => ["npm", "view", name, "name"] };
const INSTALLERS: Record<string, Installer> = {
  "npm install": { line: /\bnpm install((?: [^\s&|;`]+)+)/g, ...NPM },
  npx: { line: /\bnpx( [^\s`]+)/g, ...NPM },
  "pip install": {
    line: /\bpip install((?: [^\s&|;`]+)+)/g,
    probe: ["python3", "-m", "pip", "index", "versions", "pip"],
    lookUp: (name, folder) => ["python3", "-m", "pip", "download", "--no-deps", "--dest", folder, name],
  },
  "apt-get install": {
    line: /\bapt-get install((?: [^\s&|;`]+)+)/g,
    probe: ["sh", "-c", "apt-cache show curl"],
    lookUp: (name) => ["apt-cache", "show", name],
  },
};
/** What else would fetch something, and needs an installer above once a document has it. */
const OTHERS = /\b(?:go (?:get|install)|curl (?:\S+ )*-\w*O|wget|brew install|docker pull|gem install|cargo add)\b/;

/** The documents' code: shell blocks and spans. */
async function documentedCode(): Promise<string[]> {
  const documents = (listFiles() ?? []).filter((file) => file.endsWith(".md"));
  const texts = await Promise.all(documents.map((file) => readFile(file, "utf8")));
  const code = texts.flatMap((text) => text.match(/^```sh\n.*?^```|`[^`\n]+`/gms) ?? []);
  return code.map((lines) => lines.replaceAll(/\\\n\s*/g, ""));
}

test.skip(!listFiles(), "this is no git checkout: it does not tell its documents from others");

for (const [installer, { line, probe, lookUp }] of Object.entries(INSTALLERS)) {
  test(`each package that the documents give to ${installer} exists`, async () => {
    const execute = ([program = "", ...args]: string[]) => run(program, args);
    test.skip((await execute(probe)).code !== 0, "it finds no packages here");
    const lines = (await documentedCode()).flatMap((code) => [...code.matchAll(line)].map(([, given = ""]) => given));
    const words = lines.flatMap((given) => given.split(" ")).filter((word) => word !== "" && !word.startsWith("-"));
    const names = [...new Set(words.map((word) => word.replaceAll('"', "")))];
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      if (name.startsWith("./")) expect(ASSETS).toContain(name.slice(2));
      else expect(await execute(lookUp(name, test.info().outputPath("packages"))), name).toMatchObject({ code: 0 });
    }
  });
}

test("the documents use no other installer", async () => {
  expect((await documentedCode()).filter((code) => OTHERS.test(code))).toEqual([]);
});
