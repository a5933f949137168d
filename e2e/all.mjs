// Runs the check and the tests of every change, or with `release` all others, or those of the projects named after it;
// lists the slowest and the skipped, and ends on one line that sums up all runners, then on one about the browser if
// there was none.
import "../tools/node-version.mjs";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { describeSkipped, describeSlowest, skippedTests, skippedUnits } from "./summary.mjs";

const UNITS = "test-results/units.json";
const E2E = "test-results/e2e.json";
const [gate, ...named] = process.argv.slice(2);
const OF_GATE = gate === "release" ? ["release", "tagged", "waiting", "next-alone", "fuzz"] : ["faults", "api", "ui"];
const PROJECTS = named.length > 0 ? named : OF_GATE;
/** Four, as many tests for a release wait, for clocks or processes, and one for those that do nothing else. */
const WORKERS = gate === "release" ? ["--workers=5"] : [];

if (!existsSync("node_modules/@playwright/test")) {
  process.stderr.write("The dependencies are not installed. Run  npm ci  first.\n");
  process.exit(1);
}
// Before anything that takes minutes.
const { CHROMIUM, findChromium, isBrowserRequired, NO_BROWSER } = await import("./fixtures/chromium.mjs");
const chromium = await findChromium();

const sum = { passed: 0, failed: 0, skipped: 0 };
rmSync("test-results", { recursive: true, force: true });

const check = run("npm", ["run", gate === "release" ? "generate" : "check"], { UNITS_JSON: UNITS });
// Read now: Playwright empties the folder.
const units = read(UNITS);
add(units?.numPassedTests, units?.numFailedTests, units?.numPendingTests);

const projects = PROJECTS.map((name) => `--project=${name}`);
const e2e =
  check === 0 ? run("npx", ["playwright", "test", ...projects, ...WORKERS], { [CHROMIUM]: chromium ?? "" }) : undefined;
const report = e2e === undefined ? undefined : read(E2E);
const stats = report?.stats;
add(stats?.expected, stats?.unexpected, stats?.skipped);
add(stats?.flaky);

const skipped = [...skippedUnits(units), ...skippedTests(report)];
process.stdout.write(describeSlowest(report) + describeSkipped(skipped));
// A runner that ended badly without a failed test, or said nothing at all, has failed all the same.
if (sum.failed === 0 && (check !== 0 || e2e !== 0)) sum.failed = 1;
process.stdout.write(`${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped\n`);
process.exitCode = sum.failed === 0 ? 0 : 1;

const withoutBrowser = skipped.filter(({ reason }) => reason === NO_BROWSER).length;
if (withoutBrowser > 0) {
  process.stdout.write(`${withoutBrowser} browser ${withoutBrowser === 1 ? "test" : "tests"} did not run\n`);
  if (isBrowserRequired(process.env, process.getuid?.())) process.exitCode = 1;
}

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

function add(passed = 0, failed = 0, skipped = 0) {
  sum.passed += passed;
  sum.failed += failed;
  sum.skipped += skipped;
}
