import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { oas31 } from "zod-openapi";
import api from "@/docs/openapi.json" with { type: "json" };
import { exampleCalls, requestOfExample } from "@/lib/openapi/snippets";
import { classNameOf } from "@/lib/snippets/request";
import { LANGUAGE_IDS, LANGUAGES, type LanguageId } from "@/lib/snippets/snippet";
import { test as base, expect } from "../fixtures/api";
import { type LiveCall, liveCall } from "../fixtures/example-calls";
import { type Ended, run, succeed } from "../fixtures/run";
import { findInterpreter, missing } from "../fixtures/snippets";

// Compiles each program of the documentation site and runs it against the service with existing values.

const EXAMPLES = exampleCalls(api as unknown as oas31.OpenAPIObject);

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(tmpdir(), "programs-"));
    await use(folder);
    await rm(folder, { recursive: true });
  },
});

type Runner = (call: LiveCall) => Promise<Ended>;
interface Program {
  name: string;
  text: string;
}

/** Compiles a language's programs together, if it compiles; returns how to run each. */
const PREPARED: Record<LanguageId, (folder: string, programs: Program[]) => Promise<Runner>> = {
  curl: (folder, programs) => interpreted("sh", "sh", folder, programs),
  python: (folder, programs) => interpreted("python3", "py", folder, programs),
  async typescript(folder, programs) {
    for (const { name, text } of programs) await writeFile(path.join(folder, `${name}.mts`), text);
    const tsc = path.resolve("node_modules/typescript/lib/tsc.js");
    const strict = ["--strict", "--noUnusedLocals", "--target", "es2022", "--module", "nodenext", "--outDir", "out"];
    const types = ["--types", "node", "--typeRoots", path.resolve("node_modules/@types")];
    await succeed(process.execPath, [tsc, ...strict, ...types, ...programs.map(({ name }) => `${name}.mts`)], {
      cwd: folder,
    });
    return ({ operationId, env }) => run(process.execPath, [`out/${operationId}.mjs`], { cwd: folder, env });
  },
  async go(folder, programs) {
    await writeFile(path.join(folder, "go.mod"), "module programs\n\ngo 1.18\n");
    for (const { name, text } of programs) {
      await mkdir(path.join(folder, name));
      await writeFile(path.join(folder, name, "main.go"), text);
    }
    expect(await run("gofmt", ["-l", "."], { cwd: folder })).toEqual({ code: 0, stdout: "", stderr: "" });
    await mkdir(path.join(folder, "bin"));
    // Without what debuggers need, more than sixty programs take half as long to link.
    await succeed("go", ["build", "-ldflags=-s -w", "-o", "bin/", "./..."], { cwd: folder });
    return ({ operationId, env }) => run(`bin/${operationId}`, [], { cwd: folder, env });
  },
  async java(folder, programs) {
    const files = programs.map(({ name }) => `${classNameOf(name)}.java`);
    for (const [at, { text }] of programs.entries()) await writeFile(path.join(folder, files[at] ?? ""), text);
    const javac = ["-m", "jdk.compiler/com.sun.tools.javac.Main", "-Xlint:all", "-Werror", "-d", "classes"];
    await succeed("java", [...javac, ...files], { cwd: folder });
    // Optimising code that runs for half a second costs a quarter of it.
    const java = ["-XX:TieredStopAtLevel=1", "-cp", "classes"];
    return ({ operationId, env }) => run("java", [...java, classNameOf(operationId)], { cwd: folder, env });
  },
};

async function interpreted(program: string, extension: string, folder: string, programs: Program[]): Promise<Runner> {
  for (const { name, text } of programs) await writeFile(path.join(folder, `${name}.${extension}`), text);
  return ({ operationId, env }) => run(program, [`${operationId}.${extension}`], { cwd: folder, env });
}

const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema(api, "api");

/** Compares a program's output with the described answer. */
function expectAnswer({ operationId, template, method, isText }: LiveCall, { code, stdout, stderr }: Ended) {
  expect({ operationId, code, stderr }, stdout).toEqual({ operationId, code: 0, stderr: "" });
  if (isText) return;
  const pointer = [
    "paths",
    template,
    method.toLowerCase(),
    "responses",
    "200",
    "content",
    "application/json",
    "schema",
  ];
  const escaped = pointer.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1")));
  const isFit = ajv.compile({ $ref: `api#/${escaped.join("/")}` });
  expect(isFit(JSON.parse(stdout)), `${operationId}: ${stdout}${ajv.errorsText(isFit.errors)}`).toBe(true);
}

// More than sixty programs of each language, compiled or started one by one.
test.setTimeout(600_000);

for (const language of LANGUAGE_IDS) {
  test(`${LANGUAGES[language].name}: a program for every call gets its answer`, async ({ stage, database, folder }) => {
    test.skip(!findInterpreter(language), missing(language));
    expect(EXAMPLES.length).toBeGreaterThan(60);
    const calls: LiveCall[] = [];
    for (const example of EXAMPLES) calls.push(await liveCall(example, database));
    const { write } = LANGUAGES[language];
    const programs = calls.map((call) => ({
      name: call.operationId,
      text: write(requestOfExample(call, stage.urls[0])),
    }));
    const start = await PREPARED[language](folder, programs);
    for (const call of calls) expectAnswer(call, await start(call));
  });
}

test("in every language, the program fails with the service's error", async ({ stage, database, folder }) => {
  const example = EXAMPLES.find(({ operationId }) => operationId === "mergeUserGroup");
  if (!example) throw new Error("the description has no mergeUserGroup");
  const call = { ...(await liveCall(example, database)), body: { user_group_id: "nobody", name: "A" } };
  for (const language of LANGUAGE_IDS.filter(findInterpreter)) {
    const own = path.join(folder, language);
    await mkdir(own);
    const text = LANGUAGES[language].write(requestOfExample(call, stage.urls[0]));
    const start = await PREPARED[language](own, [{ name: call.operationId, text }]);
    const { code, stdout, stderr } = await start(call);
    expect(code, language).toBeGreaterThan(0);
    expect(stdout + stderr).toContain('"code":"unknown_user_group"');
  }
});
