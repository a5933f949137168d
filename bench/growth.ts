import { compare } from "./compare";
import type { Goal } from "./goals";
import { describeLatencies, measureListsOf } from "./list-latency";
import { contend, type Tool } from "./load";
import { circumstances, print, printGoals, printResult, writeResults } from "./report";
import { onStage } from "./stage";

const FEW = 1_000;
const LIST_P95_MS = 50;
const LEAST = 0.9;

interface GrowthOptions {
  tool: Tool;
  /** number of groups in the larger database */
  groups: number;
  rounds: number;
  seconds: number;
  /** of the results' name */
  suffix: string;
}

/** Compares the service on a thousand groups and on many, in turn, and measures lists of the many. */
export async function measureGrowth({ tool, groups, rounds, seconds, suffix }: GrowthOptions) {
  await onStage({ groups, print }, (many) =>
    onStage({ groups: FEW, print }, async (few) => {
      const contenders = [contend(many.ours, tool), contend({ ...few.ours, name: "few" }, tool)];
      const one = { what: "GET existing", kind: "any", connections: 32, goal: LEAST } as const;
      const result = await compare(contenders, one, { rounds, seconds });
      print(`\nours: ${groups} groups, few: ${FEW} groups`);
      printResult(result);
      const lists = await measureListsOf(many);
      print(`\nThe dashboard's lists of ${groups} groups, in ms:\n${describeLatencies(lists)}`);
      const slowest = Math.max(...lists.map(({ p95 }) => p95));
      const kept = result.requests.few?.median ?? Number.NaN;
      const goals: Goal[] = [
        { what: `GET existing: requests, ${groups} groups / ${FEW}`, value: kept, goal: LEAST, bound: "at least" },
        { what: `lists of ${groups} groups: slowest p95, ms`, value: slowest, goal: LIST_P95_MS, bound: "at most" },
      ];
      printGoals(goals);
      const about = circumstances();
      writeResults(`${about.date}-growth${suffix}`, { ...about, tool, groups, rounds, seconds, result, lists, goals });
    }),
  );
}
