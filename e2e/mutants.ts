// Changes one thing in the code at a time and asks whether a test notices: `npx tsx e2e/mutants.ts`. With `--only units`
// or `--only e2e` just these tests run; `npx tsx e2e/mutants.ts store` judges the mutants whose name contains that.
// Mutants that were killed, and explained ones, are not judged again until `.mutants` is removed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import explained from "./explained-mutants.json";
import { copyFiles, listFiles, makeClone } from "./fixtures/checkout";
import { FOLDER_NAMES, FOLDERS, instrument, type Mutant, sample } from "./fixtures/mutants";
import { SQL_SWITCH } from "./fixtures/sql-mutants";

const RESULTS = ".mutants/results.json";
const OUTCOMES = ["killed", "survived", "equivalent", "no coverage"] as const;
type Outcome = (typeof OUTCOMES)[number];
/** Outside the checkout, where Next would find a second lock file. */
const TREE = path.join(tmpdir(), `user-groups-mutants-${sha256(process.cwd()).slice(0, 8)}`);
const SWITCH = path.join(TREE, "switch.cjs");
/** For the tests' own process, which uses sampled code in its fixtures. */
const NO_SWITCH = path.join(TREE, "no-switch.cjs");
const REACHED = path.join(TREE, "reached");
const UNITS_MS = 300_000;
const E2E_MS = 900_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "150" },
    only: { type: "string" },
  },
});
const part = positionals[0] ?? "";
const reasons: Record<string, string> = explained;
const results: Record<string, { outcome: Outcome; by?: string | undefined }> = existsSync(RESULTS)
  ? JSON.parse(readFileSync(RESULTS, "utf8"))
  : {};

const mutants = sample(await makeTree(), Number(values.count), values.seed);
for (const { name } of mutants) if (reasons[name]) results[name] = { outcome: "equivalent", by: reasons[name] };
const isOpen = ({ name }: Mutant) => !["killed", "equivalent"].includes(results[name]?.outcome ?? "");
const left = mutants.filter((mutant) => mutant.name.includes(part) && isOpen(mutant));
for (const folder of new Set(left.map(({ folder }) => folder))) {
  const { by } = await judge({ name: "none", id: "none", folder, fileName: "" });
  if (by) throw new Error(`the tests of ${folder} fail without a mutant: ${by}`);
}
for (const [index, mutant] of left.entries()) {
  const { outcome, by } = await judge(mutant);
  results[mutant.name] = { outcome, by };
  mkdirSync(path.dirname(RESULTS), { recursive: true });
  // Whole, even if interrupted.
  writeFileSync(`${RESULTS}.new`, JSON.stringify(results, null, 2));
  renameSync(`${RESULTS}.new`, RESULTS);
  print(`${index + 1}/${left.length} ${outcome}: ${mutant.name}  (${by ?? "by no test"})`);
}
print(["folder", "sampled", ...OUTCOMES].join("\t"));
for (const folder of FOLDER_NAMES) {
  const ours = mutants.filter((mutant) => mutant.folder === folder);
  const counts = OUTCOMES.map((outcome) => ours.filter(({ name }) => results[name]?.outcome === outcome).length);
  print([folder, ours.length, ...counts].join("\t"));
}

/** Copies the checkout with its mutants, and builds it if its code has changed. */
async function makeTree(): Promise<Mutant[]> {
  const files = listFiles();
  if (!files) throw new Error("git lists the files to copy");
  if (existsSync(TREE)) await copyFiles(files, TREE);
  else await makeClone(files, TREE);
  const isSampled = (file: string) => FOLDER_NAMES.some((name) => FOLDERS[name].sources.test(file));
  const instrumented = await instrument(files.filter((file) => isSampled(file) && !file.endsWith(".test.ts")));
  for (const { name, content } of instrumented.files) writeFileSync(path.join(TREE, name), content);
  writeSwitch(NO_SWITCH, "none");
  const code = files.filter((file) => !/^(?:e2e|docs)\/|\.test\.tsx?$/.test(file));
  const built = sha256(code.map((file) => readFileSync(file, "utf8")).join("\0"));
  const stamp = path.join(TREE, "dist/mutants");
  if (values.only === "units" || (existsSync(stamp) && readFileSync(stamp, "utf8") === built)) {
    await run(["npx", "prisma", "generate"], UNITS_MS);
  } else {
    const { failure } = await run(["node", "tools/run.mjs", "build"], E2E_MS, {
      NODE_OPTIONS: `--require=${NO_SWITCH}`,
    });
    if (failure) throw new Error(failure);
    writeFileSync(stamp, built);
  }
  return instrumented.mutants;
}

/** Runs the tests that should notice the mutant, until one does. */
async function judge({ id, folder, fileName }: Mutant): Promise<{ outcome: Outcome; by?: string | undefined }> {
  writeSwitch(SWITCH, id);
  rmSync(REACHED, { force: true });
  const { units, tests } = FOLDERS[folder];
  const options = `--require=${SWITCH}`;
  if (values.only !== "e2e") {
    const own = fileName.replace(/\.ts$/, ".test.ts");
    // Its own tests first, which are few.
    for (const files of existsSync(own) ? [[own], units] : [units]) {
      const { failure } = await run(["npx", "vitest", "run", "--bail=1", ...files], UNITS_MS, {
        NODE_OPTIONS: options,
      });
      if (failure) return { outcome: "killed", by: failure };
    }
  }
  if (values.only !== "units") {
    // The client runs in the test, all other code in the service.
    const inTest = folder === "verifier" ? SWITCH : NO_SWITCH;
    const env = { E2E_BUILT: "true", E2E_NODE_OPTIONS: options, NODE_OPTIONS: `--require=${inTest}` };
    const limits = ["--retries=1", "--max-failures=1", `--global-timeout=${E2E_MS}`];
    const e2e = [
      "npx",
      "playwright",
      "test",
      "--project=api",
      "--project=faults",
      "--project=release",
      ...limits,
      "--reporter=line",
      ...tests,
    ];
    const { failure } = await run(e2e, 2 * E2E_MS, env);
    if (failure) return { outcome: "killed", by: failure };
  }
  return { outcome: existsSync(REACHED) ? "survived" : "no coverage" };
}

/** Writes what a process loads first: which mutant is active, whether it was reached, and an end to endless loops. */
function writeSwitch(file: string, id: string) {
  const active = JSON.stringify(id);
  writeFileSync(
    file,
    `let hits = 0;
const hit = () => hits++ === 0 && require("node:fs").writeFileSync(${JSON.stringify(REACHED)}, "");
globalThis.__stryker__ = { activeMutant: ${active}, hitLimit: 1e7, get hitCount() { return hits; }, set hitCount(_) { hit(); hits = _; } };
globalThis.${SQL_SWITCH} = (id, operator, replacement) => (id === ${active} ? (hit(), replacement) : operator);
`,
  );
}

/** Runs a program in the tree; returns the first line that names a failure, if it fails or takes too long. */
async function run(command: string[], limit: number, env: Record<string, string> = {}): Promise<{ failure?: string }> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: TREE,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: "pipe",
    detached: true,
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await Promise.race([ended, sleep(limit, "late" as const, { ref: false })]);
  if (code === "late" && child.pid) process.kill(-child.pid, "SIGKILL");
  if (code === 0) return {};
  const lines = code === "late" ? [] : (await output).join("\n").split("\n");
  return {
    failure: lines.find((line) => /FAIL|^\s+1\) |Error:/.test(line))?.trim() ?? `${program} ended with ${code}`,
  };
}

function sha256(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

function print(line: string) {
  process.stdout.write(`${line}\n`);
}
