// Runs the tests of every change, or with `release` all others, or those of the projects named after it; lists the slowest, and ends on one
// line that sums up all runners.
import "../node-version.mjs";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";

const UNITS = "test-results/units.json";
const E2E = "test-results/e2e.json";
const [gate, ...named] = process.argv.slice(2);
const OF_GATE = gate === "release" ? ["release", "tagged", "next-alone", "fuzz"] : ["faults", "api", "ui"];
const PROJECTS = named.length > 0 ? named : OF_GATE;
const SLOWEST = 10;

const sum = { passed: 0, failed: 0, skipped: 0 };
rmSync("test-results", { recursive: true, force: true });

const check = run("npm", ["run", "check"], { UNITS_JSON: UNITS });
// Read at once: Playwright empties the folder.
const units = read(UNITS);
add(units?.numPassedTests, units?.numFailedTests, units?.numPendingTests);

const e2e =
  check === 0 ? run("npx", ["playwright", "test", ...PROJECTS.map((name) => `--project=${name}`)], {}) : undefined;
const report = e2e === undefined ? undefined : read(E2E);
const stats = report?.stats;
listSlowest(report?.suites ?? []);
add(stats?.expected, stats?.unexpected, stats?.skipped);
add(stats?.flaky);

// A runner that ended badly without a failed test, or said nothing at all, has failed all the same.
if (sum.failed === 0 && (check !== 0 || e2e !== 0)) sum.failed = 1;
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exitCode = sum.failed === 0 ? 0 : 1;

/**
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} env
 */
function run(command, args, env) {
  return spawnSync(command, args, { stdio: "inherit", env: { ...process.env, ...env } }).status;
}

/** @param {string} file */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * @typedef {{ file: string, title: string, tests: { projectName: string, results: { duration: number }[] }[] }} Spec
 * @typedef {{ specs?: Spec[], suites?: Suite[] }} Suite
 */

/** @param {Suite[]} suites */
function listSlowest(suites) {
  const timed = suites.flatMap(specsOf).flatMap(({ file, title, tests }) =>
    tests.map(({ projectName, results }) => ({
      seconds: results.reduce((sum, { duration }) => sum + duration, 0) / 1_000,
      name: `[${projectName}] ${file} › ${title}`,
    })),
  );
  const slowest = timed.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const lines = slowest.map(({ seconds, name }) => `${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
  if (lines.length > 0) process.stdout.write(`\nThe slowest tests:\n${lines.join("")}\n`);
}

/**
 * @param {Suite} suite
 * @returns {Spec[]}
 */
function specsOf({ specs = [], suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

function add(passed = 0, failed = 0, skipped = 0) {
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped;
}
