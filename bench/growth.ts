import { compare } from "./compare";
import type { Goal } from "./goals";
import { describeLatencies, measureLists, signInTo } from "./list-latency";
import { contend, type Tool } from "./load";
import { circumstances, print, printGoals, printResult, writeResults } from "./report";
import { OWNER, onStage, type Stage } from "./stage";

const [FEW, MANY] = [1_000, 1_000_000];
const LIST_REQUESTS = 40;
const LIST_P95_MS = 50;
const LEAST = 0.9;

interface GrowthOptions {
  tool: Tool;
  rounds: number;
  seconds: number;
}

/** Compares the service on a thousand groups with the service on a million, in turn, and measures the lists of the million. */
export async function measureGrowth({ tool, rounds, seconds }: GrowthOptions) {
  await onStage({ groups: MANY, print }, (many) =>
    onStage({ groups: FEW, print }, async (few) => {
      const contenders = [contend(many.ours, tool), contend({ ...few.ours, name: "few" }, tool)];
      const one = { what: "GET existing", kind: "any", connections: 32, goal: LEAST } as const;
      const result = await compare(contenders, one, { rounds, seconds });
      print(`\nours: ${MANY} groups, few: ${FEW} groups`);
      printResult(result);
      const lists = await measureListsOf(many);
      print(`\nThe dashboard's lists of ${MANY} groups, in ms:\n${describeLatencies(lists)}`);
      const slowest = Math.max(...lists.map(({ p95 }) => p95));
      const kept = result.requests.few?.median ?? Number.NaN;
      const goals: Goal[] = [
        { what: "GET existing: requests, 1,000,000 groups / 1,000", value: kept, goal: LEAST, bound: "at least" },
        { what: "lists of 1,000,000 groups: slowest p95, ms", value: slowest, goal: LIST_P95_MS, bound: "at most" },
      ];
      printGoals(goals);
      const about = circumstances();
      writeResults(`${about.date}-growth`, { ...about, tool, rounds, seconds, result, lists, goals });
    }),
  );
}

async function measureListsOf({ ours }: Stage) {
  const cookie = await signInTo(ours.url, OWNER.email, OWNER.password);
  return measureLists({ url: ours.url, cookie, environment: "testing", times: LIST_REQUESTS });
}
