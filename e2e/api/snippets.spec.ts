import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "@playwright/test";
import fc from "fast-check";
import { CALLS, type SnippetCall, type SnippetGroup } from "@/lib/snippets/request";
import { LANGUAGE_IDS, LANGUAGES, type LanguageId, snippet } from "@/lib/snippets/snippet";
import { test as base, call, type Database, newId } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { run } from "../fixtures/run";
import { findInterpreter, missing, printedGroupToken, runSnippet } from "../fixtures/snippets";
import { claimsOf } from "../fixtures/viewer-place";

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), "snippets-"));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

/** Each run takes a second or more, so these show only one refusal: programs report all alike. */
const COMPILED: LanguageId[] = ["typescript", "java", "go"];

/** Texts with a meaning in some language's strings or comments, or that mislead readers. */
const NAUGHTY = [
  `it's`,
  `say "hi"`,
  `'''""" \`\``,
  `$HOME $(id) \`id\` $\{x} {$x} #{x} #$x #@x %s %d %{x}`,
  "\\",
  "\\n \\u0041 \\\\u0041 \\x41 \\",
  "a\nb\r\nc\td\b\f\v",
  "\u0001\u001f\u007f\u0080\u009f",
  "Müller 東京 👩‍👩‍👧 e\u0301",
  "\u{e0041} \u200b \u00ad \ufeff",
  "\u202etxt.exe\u202c",
  "\u2028\u2029",
  "</script><!-- --> ]]> ?> <?php */ //",
  "__proto__",
  "@/etc/passwd",
  "!! -- # ; & | > < * ?",
];
/** The same on every run, so that failures repeat. */
const GENERATED = fc.sample(fc.string({ unit: "binary", maxLength: 20 }), { numRuns: 150, seed: 6 });
const STRINGS = [...NAUGHTY, ...GENERATED.filter((text) => !/\0|\p{Noncharacter_Code_Point}/u.test(text))];

/** A group full of characters that need quoting. */
function naughtyGroup(id: string): SnippetGroup {
  const oneLine = NAUGHTY.filter((text) => !/[\p{Cc}\p{Bidi_Control}]/u.test(text)).join(" ");
  return {
    user_group_id: `${id} '"\\$(x)#{x}é<`,
    name: oneLine.slice(0, 200),
    mapping: { 0: "a", 1: "b" },
    properties: {
      ...Object.fromEntries(STRINGS.map((text, at) => [`${text}${at}`, text])),
      ...JSON.parse('{"__proto__": "own", "": "empty", "class": {}, "if": []}'),
      values: [null, true, false, 0, -1, 0.1, 1e-7, 9007199254740991, [[{ 0: [] }]], { 2: "b", 3: {} }],
    },
  };
}

/** A group's stored members in order, for comparison. */
async function storedGroup(database: Database, id: string) {
  const sql = "SELECT name, mapping, properties FROM user_group WHERE provided_id = $1";
  return (await database.query(sql, [id])).map(({ name, mapping, properties }) =>
    inOrder({ name, mapping: JSON.parse(mapping), properties: JSON.parse(properties ?? "null") }),
  );
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, inOrder(member)]);
}

for (const language of LANGUAGE_IDS) {
  const { name } = LANGUAGES[language];
  test(`${name}: the programs as shown get, update and rotate, and report refusals`, async ({
    stage,
    database,
    folder,
  }) => {
    const interpreter = findInterpreter(language);
    test.skip(!interpreter, missing(language));
    if (!interpreter) return;
    // After serving a page, Next may listen for upgrades and accept those that Java offers.
    expect((await call("GET", "/", { token: null })).status).toBe(200);
    const api = stage.tokens.testing;
    const group = naughtyGroup(newId(language));
    const { user_group_id: id, name: groupName, mapping, properties } = group;
    const use = async (what: SnippetCall, given: SnippetGroup, tokens = { api }) => {
      const shown = snippet(language, what, { baseUrl: `${stage.urls[0]}/`, group: given });
      expect(shown.text).not.toContain(api);
      return runSnippet(interpreter, shown, { folder, tokens });
    };
    const tokenOf = async (ended: ReturnType<typeof use>) => {
      const { code, stdout, stderr } = await ended;
      expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: "" });
      return printedGroupToken(language, { code, stdout, stderr });
    };
    const expectRefusal = async (ended: ReturnType<typeof use>, code: string) => {
      const { code: exit, stdout, stderr } = await ended;
      expect(exit, stdout + stderr).toBeGreaterThan(0);
      expect(stdout + stderr).toContain(`"code":"${code}"`);
      expect(stdout + stderr).toMatch(/"request_id":"[0-9a-f-]{36}"/);
    };

    if (!COMPILED.includes(language)) {
      await expectRefusal(use("update", group), "unknown_user_group");
      await expectRefusal(use("getOrCreate", group, { api: "wrong" }), "unauthorized");
    }
    const token = await tokenOf(use("getOrCreate", group));
    const asked = () => call("GET", "/api/user", { body: { user_group_id: id } });
    expect((await asked()).json.user_group.token).toBe(token);
    expect(await storedGroup(database, id)).toEqual([inOrder({ name: groupName, mapping, properties })]);

    const changed = { user_group_id: id, name: "Changed", mapping: {}, properties: null };
    expect(await tokenOf(use("update", changed))).toBe(token);
    expect(await storedGroup(database, id)).toEqual([inOrder({ name: "Changed", mapping: {}, properties: null })]);

    const minting = await insertApiToken(
      { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey },
      { scopes: ["viewers:mint"] },
    );
    const viewed = await use("mint", { user_group_id: id, viewer: "user_42" }, { api: minting });
    expect(viewed).toMatchObject({ code: 0, stderr: "" });
    const isWhole = ["curl", "java"].includes(language);
    const viewerToken = isWhole ? JSON.parse(viewed.stdout).viewer_token : viewed.stdout.trim();
    expect(claimsOf(viewerToken)).toMatchObject({ sub: id, viewer: "user_42" });

    const rotation = { api, group: token };
    const rotated = await tokenOf(use("rotate", group, rotation));
    expect(rotated).not.toBe(token);
    expect((await asked()).json.user_group.token).toBe(rotated);
    await expectRefusal(use("rotate", group, rotation), "unknown_token");
  });
}

test("TypeScript: the programs pass a strict compiler", async ({ folder }) => {
  const group = naughtyGroup("id");
  const programs = ([...CALLS, "mint"] as const).map((what) =>
    snippet("typescript", what, { baseUrl: "https://groups.example", group }),
  );
  for (const { file, text } of programs) await writeFile(path.join(folder, file), text);
  const strict = ["--noEmit", "--strict", "--noUnusedLocals", "--target", "es2022", "--module", "nodenext"];
  const types = ["--types", "node", "--typeRoots", path.resolve("node_modules/@types")];
  const files = programs.map(({ file }) => path.join(folder, file));
  const tsc = path.resolve("node_modules/typescript/lib/tsc.js");
  const { code, stdout } = await run(process.execPath, [tsc, ...strict, ...types, ...files], { cwd: folder });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});

test("Go: the programs are formatted by gofmt", async ({ folder }) => {
  test.skip(!findInterpreter("go"), missing("go"));
  const group = {
    user_group_id: "acme-1",
    name: "Acme",
    mapping: { 40: "213" },
    properties: { plan: "p".repeat(80), seats: 3 },
  };
  for (const what of CALLS) {
    const { file, text } = snippet("go", what, { baseUrl: "https://groups.example", group });
    await writeFile(path.join(folder, file), text);
    expect(await run("gofmt", ["-d", path.join(folder, file)])).toEqual({ code: 0, stdout: "", stderr: "" });
  }
});
