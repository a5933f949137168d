// Compares the API with a service on Fastify; docs/performance.md explains how and why.
import { parseArgs } from "node:util";
import { measureAgainst } from "./against";
import { type Case, compare, type Result } from "./compare";
import { goalsOf, HALF, LEAST, LONE, MANY, SOME } from "./goals";
import { contend } from "./load";
import { measureOpenLoop, type OpenResult } from "./open-loop";
import { startFastify } from "./peers";
import { circumstances, print, printGoals, printOpenResult, printResult } from "./report";
import { onStage } from "./stage";

const USAGE = `Usage:
  npm run bench -- [--quick] [--only "GET existing"] [--groups N] [--rounds N] [--seconds N]
  npm run bench -- --against FOLDER [--only "GET existing"] [--groups N] [--rounds N] [--seconds N]`;

const CASES: Case[] = LEAST.flatMap(({ what, kind, ...goals }) => [
  // Each kind starts at 32 connections, where V8 compiles it soonest.
  { what, kind, connections: SOME, goal: goals.some },
  { what, kind, connections: LONE, goal: goals.lone },
  { what, kind, connections: MANY, goal: goals.many },
]);
/** Shares of our GET existing throughput, sent on a timetable. */
const SHARES = [HALF, 0.75];

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    groups: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    against: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  print(USAGE);
  process.exit();
}
const { quick, only } = options;
const numberOf = (text: string | undefined, usual: number) => Number(text ?? usual);
const groups = numberOf(options.groups, quick ? 50_000 : 100_000);
const rounds = numberOf(options.rounds, quick ? 4 : 7);
const seconds = numberOf(options.seconds, quick ? 2 : 5);
const about = circumstances();
print(`${about.machine}; commit ${about.commit}`);

const paired = { rounds: numberOf(options.rounds, 20), seconds: numberOf(options.seconds, 2) };
if (options.against) await measureAgainst({ folder: options.against, only, groups, ...paired });
else await measureAll();

async function measureAll() {
  print(`${groups} groups, ${rounds} rounds of ${seconds} s`);
  const cases = CASES.filter(
    ({ what, connections }) => `${what}, ${connections}`.startsWith(only ?? "") && !(quick && connections === MANY),
  );
  if (cases.length === 0) throw new Error(`No load starts with "${only}".`);
  const results: Result[] = [];
  const openLoop: OpenResult[] = [];
  await onStage(groups, async (stage) => {
    const peer = await startFastify(stage);
    const contenders = [contend(stage.ours), contend(peer)];
    for (const one of cases) {
      const result = await compare(contenders, one, { rounds, seconds });
      printResult(result);
      results.push(result);
      if (one.kind !== "any" || one.connections !== SOME) continue;
      const servers = [stage.ours, peer];
      const most = result.contenders.ours?.perSecond ?? Number.NaN;
      const shares = quick ? [HALF] : SHARES;
      for await (const open of measureOpenLoop({ servers, shares, most, rounds, seconds, atEnd: stage.atEnd })) {
        printOpenResult(open);
        openLoop.push(open);
      }
    }
  });
  printGoals(goalsOf(results, openLoop));
}
