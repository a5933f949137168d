// Changes one thing in the code at a time and asks whether a test notices: `npx tsx e2e/mutants.ts`. With `--only units`,
// `e2e` or `release` just these tests run; `npx tsx e2e/mutants.ts lib/store/` samples as ever, and judges only mutants
// whose name begins with that. Mutants that were killed, and explained ones, are not judged again until `.mutants` is
// removed. Fails if fewer than `--threshold` percent of the unexplained ones are killed.
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
import { FOLDER_NAMES, FOLDERS, type Folder, instrument, type Mutant, sample } from "./fixtures/mutants";
import { SQL_SWITCH } from "./fixtures/sql-mutants";

const RESULTS = ".mutants/results.json";
const OUTCOMES = ["killed by units", "killed by e2e", "survived", "equivalent"] as const;
type Outcome = (typeof OUTCOMES)[number];
/** From the cheapest on. Those of the service are Playwright's projects. */
const PROJECTS = { units: [], e2e: ["api", "faults"], release: ["release", "tagged"] };
type Kind = keyof typeof PROJECTS;
/** Outside the checkout, where Next would find a second lock file. */
const TREE = path.join(tmpdir(), `user-groups-mutants-${sha256(process.cwd()).slice(0, 8)}`);
/** For the tests' own process, which uses sampled code in its fixtures. */
const NO_SWITCH = path.join(TREE, "no-switch.cjs");
/** What runs at a time: tests spend as long on starting and waiting as on a processor. */
const LANES = [1, 2].map((n) => ({
  /** which mutant is active, for the process that runs its code */
  switch: path.join(TREE, `switch-${n}.cjs`),
  /** the mutants that tests reach while none is active */
  reached: path.join(TREE, `reached-${n}`),
  results: `test-results-${n}`,
}));
type Lane = (typeof LANES)[number];
const BASELINE = "baseline";
/** Without npx, which takes as long as some tests. */
const BIN = "node_modules/.bin/";
const UNITS_MS = 300_000;
const E2E_MS = 900_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "300" },
    only: { type: "string" },
    threshold: { type: "string", default: "0" },
  },
});
const part = positionals[0] ?? "";
const reasons: Record<string, string> = explained;
const results: Record<string, { outcome: Outcome; by?: string | undefined }> = existsSync(RESULTS)
  ? JSON.parse(readFileSync(RESULTS, "utf8"))
  : {};

const sampled = sample(await makeTree(), Number(values.count), values.seed);
const mutants = sampled.filter(({ name }) => name.startsWith(part));
for (const { name } of mutants) if (reasons[name]) results[name] = { outcome: "equivalent", by: reasons[name] };
for (const kind of Object.keys(PROJECTS) as Kind[]) {
  if (values.only !== undefined && values.only !== kind) continue;
  for (const folder of FOLDER_NAMES) await judge(kind, folder);
}
print(["folder", "sampled", ...OUTCOMES, "unjudged"].join("\t"));
for (const folder of FOLDER_NAMES) {
  const ours = mutants.filter((mutant) => mutant.folder === folder);
  print([folder, ours.length, ...countsOf(ours)].join("\t"));
}
const [units = 0, e2e = 0, , equivalent = 0] = countsOf(mutants);
const score = (100 * (units + e2e)) / (mutants.length - equivalent);
print(`score: ${score.toFixed(1)} % (${units + e2e} killed of ${mutants.length - equivalent})`);
if (!(score >= Number(values.threshold))) process.exitCode = 1;

/** How many have each outcome, and none. */
function countsOf(ours: Mutant[]): number[] {
  return [...OUTCOMES, undefined].map(
    (outcome) => ours.filter(({ name }) => results[name]?.outcome === outcome).length,
  );
}

/** Runs tests of a kind on each of a folder's mutants that they reach. */
async function judge(kind: Kind, folder: Folder) {
  const open = mutants.filter(
    (mutant) => mutant.folder === folder && [undefined, "survived"].includes(results[mutant.name]?.outcome),
  );
  if (open.length === 0) return;
  const { units, tests } = FOLDERS[folder];
  // By unit: vitest starts once for all of them as fast as for one. Else by file, each of which takes seconds.
  const sets = kind === "units" ? [units] : tests.map((test) => [test]);
  const reaching = new Map<string, string[]>();
  await inLanes(sets, async (tests, lane) => {
    rmSync(lane.reached, { force: true });
    const failure = await runTests(kind, { folder, tests, id: BASELINE }, lane);
    if (failure) throw new Error(`the ${kind} tests ${tests.join(", ")} fail without a mutant: ${failure}`);
    const reached = existsSync(lane.reached) ? readFileSync(lane.reached, "utf8").split("\n") : [];
    for (const id of new Set(reached)) reaching.set(id, [...(reaching.get(id) ?? []), ...tests]);
  });
  let judged = 0;
  await inLanes(open, async ({ name, id }, lane) => {
    const tests = reaching.get(id);
    const by = tests && (await runTests(kind, { folder, tests, id }, lane));
    if (by) store(name, kind === "units" ? "killed by units" : "killed by e2e", by);
    else if (kind !== "units") store(name, "survived", tests ? undefined : "not reached");
    judged += 1;
    print(`${kind} ${judged}/${open.length} ${results[name]?.outcome ?? "left"}: ${name}  (${by ?? "by no test"})`);
  });
}

/** Works on each item, in the lane that is free first. */
async function inLanes<T>(items: T[], work: (item: T, lane: Lane) => Promise<void>) {
  const left = items.values();
  await Promise.all(
    LANES.map(async (lane) => {
      for (const item of left) await work(item, lane);
    }),
  );
}

function store(name: string, outcome: Outcome, by?: string) {
  results[name] = { outcome, by };
  mkdirSync(path.dirname(RESULTS), { recursive: true });
  // Whole, even if interrupted.
  writeFileSync(`${RESULTS}.new`, JSON.stringify(results, null, 2));
  renameSync(`${RESULTS}.new`, RESULTS);
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
  writeSwitch({ switch: NO_SWITCH, reached: "" }, "none");
  const code = files.filter((file) => !/^(?:e2e|docs)\/|\.test\.tsx?$/.test(file));
  const built = sha256(code.map((file) => readFileSync(path.join(TREE, file), "utf8")).join("\0"));
  const stamp = path.join(TREE, "dist/mutants");
  if (values.only === "units" || (existsSync(stamp) && readFileSync(stamp, "utf8") === built)) {
    await run([`${BIN}prisma`, "generate"], UNITS_MS);
  } else {
    const failure = await run(["node", "tools/run.mjs", "build"], E2E_MS, {
      NODE_OPTIONS: `--require=${NO_SWITCH}`,
    });
    if (failure) throw new Error(failure);
    writeFileSync(stamp, built);
  }
  return instrumented.mutants;
}

interface Trial {
  folder: Folder;
  /** files or folders of tests */
  tests: string[];
  id: string;
}

/** Runs tests on a mutant until one fails; returns what names the failure. */
async function runTests(kind: Kind, { folder, tests, id }: Trial, lane: Lane): Promise<string | undefined> {
  writeSwitch(lane, id);
  const options = `--require=${lane.switch}`;
  if (kind === "units") {
    // Nothing runs SQL in them.
    if (id.startsWith("sql:")) return undefined;
    return run([`${BIN}vitest`, "run", "--bail=1", ...tests], UNITS_MS, { NODE_OPTIONS: options });
  }
  // The client runs in the test, all other code in the service.
  const inTest = folder === "verifier" ? lane.switch : NO_SWITCH;
  const env = { E2E_BUILT: "true", E2E_NODE_OPTIONS: options, NODE_OPTIONS: `--require=${inTest}` };
  const projects = PROJECTS[kind].map((project) => `--project=${project}`);
  const limits = ["--retries=1", "--max-failures=1", `--global-timeout=${E2E_MS}`, "--pass-with-no-tests"];
  const ours = ["--workers=1", `--output=${lane.results}`, "--reporter=line"];
  return run([`${BIN}playwright`, "test", ...projects, ...limits, ...ours, ...tests], 2 * E2E_MS, env);
}

/** Writes what a process loads first: which mutant is active, an end to endless loops, and which are reached. */
function writeSwitch({ switch: file, reached }: Pick<Lane, "switch" | "reached">, id: string) {
  writeFileSync(
    file,
    `const id = ${JSON.stringify(id)};
const seen = new Set();
const reach = (one) => {
  if (id !== ${JSON.stringify(BASELINE)} || seen.has(one)) return true;
  seen.add(one);
  require("node:fs").appendFileSync(${JSON.stringify(reached)}, one + "\\n");
  return true;
};
globalThis.__stryker__ = {
  ...{ activeMutant: id, hitCount: 0, hitLimit: 1e7 },
  mutantCoverage: { static: new Proxy({}, { set: (_, one) => reach(one) }) },
};
globalThis.${SQL_SWITCH} = (one, operator, replacement) => (reach(one) && one === id ? replacement : operator);
`,
  );
}

/** Runs a program in the tree; returns the first line that names a failure, if it fails or takes too long. */
async function run(command: string[], limit: number, env: Record<string, string> = {}): Promise<string | undefined> {
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
  if (code === 0) return undefined;
  const lines = code === "late" ? [] : (await output).join("\n").split("\n");
  return lines.find((line) => /FAIL|^\s+1\) |Error:/.test(line))?.trim() ?? `${program} ended with ${code}`;
}

function sha256(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}

function print(line: string) {
  process.stdout.write(`${line}\n`);
}
