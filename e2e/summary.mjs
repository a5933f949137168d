// What the reports of Vitest and Playwright say about single tests.
import path from "node:path";

/**
 * @typedef {{ type: string, description?: string }} Annotation
 * @typedef {{ projectName: string, status: string, annotations: Annotation[], results: { duration: number }[] }} Test
 * @typedef {{ file: string, line: number, title: string, tests: Test[] }} Spec
 * @typedef {{ specs?: Spec[], suites?: Suite[] }} Suite
 * @typedef {{ suites: Suite[] }} Report of Playwright
 * @typedef {{ status: string, fullName: string, meta: { skipped?: string } }} Unit
 * @typedef {{ testResults: { name: string, assertionResults: Unit[] }[] }} Units report of Vitest
 * @typedef {{ reason: string, test: string }} Skipped
 */

const SLOWEST = 10;
/** So many tests skipped for one reason are named; of more, only the number is said. */
const MAX_NAMED = 20;
const NO_REASON = "no reason given";

/** @param {Report | undefined} report */
export function describeSlowest(report) {
  const timed = testsOf(report).map(({ name, results }) => ({
    seconds: results.reduce((sum, { duration }) => sum + duration, 0) / 1_000,
    name,
  }));
  const slowest = timed.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const lines = slowest.map(({ seconds, name }) => `${seconds.toFixed(1).padStart(7)} s  ${name}\n`);
  return lines.length > 0 ? `\nThe slowest tests:\n${lines.join("")}\n` : "";
}

/**
 * @param {Report | undefined} report
 * @returns {Skipped[]}
 */
export function skippedTests(report) {
  const skipped = testsOf(report).filter(({ status }) => status === "skipped");
  return skipped.map(({ name, annotations }) => ({
    reason: annotations.find(({ type }) => type === "skip" || type === "fixme")?.description ?? NO_REASON,
    test: name,
  }));
}

/**
 * @param {Units | undefined} units
 * @returns {Skipped[]}
 */
export function skippedUnits(units) {
  return (units?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName, meta }) => ({
        reason: meta.skipped ?? NO_REASON,
        test: `[unit] ${path.relative(process.cwd(), name)} › ${fullName}`,
      })),
  );
}

/** @param {Skipped[]} skipped */
export function describeSkipped(skipped) {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].sort();
  const parts = reasons.map((reason) => {
    const tests = skipped.filter((one) => one.reason === reason).map(({ test }) => `           ${test}\n`);
    return `${String(tests.length).padStart(7)}  ${reason}\n${tests.length > MAX_NAMED ? "" : tests.join("")}`;
  });
  return parts.length > 0 ? `Skipped, because:\n${parts.join("")}\n` : "";
}

/** @param {Report | undefined} report */
function testsOf(report) {
  return (report?.suites ?? [])
    .flatMap(specsOf)
    .flatMap(({ file, title, tests }) =>
      tests.map((test) => ({ ...test, name: `[${test.projectName}] ${file} › ${title}` })),
    );
}

/**
 * @param {Suite} suite
 * @returns {Spec[]}
 */
function specsOf({ specs = [], suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}
