// Measures the API against a bare server, in turn: `npm run bench -- [--quick] [--groups N] [--rounds N] [--seconds N]`.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Kind, load, type Measured } from "./load";
import { onStage } from "./stage";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    groups: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
  },
});
const groups = Number(options.groups ?? (options.quick ? 20_000 : 100_000));
const rounds = Number(options.rounds ?? (options.quick ? 3 : 5));
const seconds = Number(options.seconds ?? (options.quick ? 2 : 5));

const LOADS: { what: string; kind: Kind; connections: number; goal: number }[] = [
  { what: "GET existing", kind: "any", connections: 1, goal: 0.8 },
  { what: "GET existing", kind: "any", connections: 32, goal: 1.2 },
  { what: "GET existing", kind: "any", connections: 256, goal: 1.2 },
  { what: "GET creating", kind: "fresh", connections: 32, goal: 0.7 },
  { what: "PUT", kind: "named", connections: 32, goal: 0.7 },
  { what: "POST rotating", kind: "next", connections: 32, goal: 0.7 },
  { what: "mix 90/5/4/1", kind: "mix", connections: 32, goal: 0.7 },
];
/** Until the engine has compiled what is called often: at one connection that takes its time. */
const WARM_UP_SECONDS = 8;
/** How far below its goal a ratio may be before the run fails: the machine is noisy. */
const TOLERANCE = 0.85;

const print = (line: string) => process.stdout.write(`${line}\n`);
const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"]).toString().trim();
const machine = `${os.cpus().length} × ${os.cpus()[0]?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
print(`${machine}; commit ${commit}; ${groups} groups, ${rounds} rounds of ${seconds} s\n`);

const results: object[] = [];
let isShort = false;
await onStage(groups, print, async (contenders) => {
  for (const { what, kind, connections, goal } of LOADS) {
    const measured = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]));
    for (let round = 0; round <= rounds; round++) {
      // In turn, and in the other order each time; the first round only warms up.
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
        const result = await load(contender, { kind, connections, seconds: round === 0 ? WARM_UP_SECONDS : seconds });
        if (round > 0) measured.get(contender.name)?.push(result);
      }
    }
    const [ours, bare] = contenders.map(({ name }) => summarize(measured.get(name) ?? []));
    if (!ours || !bare) throw new Error("there is nothing to compare");
    const ratio = ours.perSecond / bare.perSecond;
    isShort ||= ratio < goal * TOLERANCE || ours.errors > 0;
    print(`${what}, ${connections} connections`);
    print(lineOf("ours", ours));
    print(lineOf("bare", bare));
    print(`  ratio ${ratio.toFixed(2)}, to be ${goal}${ratio < goal ? ": short" : ""}\n`);
    results.push({ what, connections, goal, ratio, ours, bare });
  }
});
const folder = path.join(import.meta.dirname, "results");
mkdirSync(folder, { recursive: true });
const file = path.join(folder, `${new Date().toISOString().slice(0, 10)}.json`);
writeFileSync(file, `${JSON.stringify({ machine, commit, groups, rounds, seconds, results }, null, 2)}\n`);
process.exitCode = isShort ? 1 : 0;

/** The medians of the rounds, and how far apart the slowest and the fastest were. */
function summarize(rounds: Measured[]) {
  const middle = (pick: (one: Measured) => number) => {
    const sorted = rounds.map(pick).sort((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  };
  const speeds = rounds.map(({ perSecond }) => perSecond);
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    spread: (Math.max(...speeds) - Math.min(...speeds)) / middle(({ perSecond }) => perSecond),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    cpuPerThousand: middle(({ cpu, requests }) => (cpu / requests) * 1000),
    rss: middle(({ rss }) => rss),
  };
}

function lineOf(
  name: string,
  { perSecond, spread, p50, p99, errors, cpuPerThousand, rss }: ReturnType<typeof summarize>,
) {
  const numbers = [
    `${perSecond.toFixed(0).padStart(7)} req/s ±${(spread * 50).toFixed(0)} %`,
    `p50 ${p50.toFixed(2)} ms`,
    `p99 ${p99.toFixed(2)} ms`,
    `${(cpuPerThousand * 1000).toFixed(0)} µs CPU a request`,
    `${rss.toFixed(0)} MiB`,
  ];
  return `  ${name.padEnd(5)} ${numbers.join("   ")}${errors > 0 ? `   ${errors} errors` : ""}`;
}
