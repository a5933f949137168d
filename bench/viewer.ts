import { compare } from "./compare";
import { contend, type Tool } from "./load";
import { circumstances, print, printGoals, printResult, writeResults } from "./report";
import { onStage } from "./stage";

interface ViewerOptions {
  tool: Tool;
  groups: number;
  rounds: number;
  seconds: number;
  suffix: string;
}

/** The minimum ratio of viewer requests to GET existing. */
const LEAST = 0.9;

/** Compares POST /api/viewer with GET existing in turn, on one service: both look up one group and its caller. */
export async function measureViewer({ tool, groups, rounds, seconds, suffix }: ViewerOptions) {
  await onStage({ groups, print }, async ({ ours, bodies }) => {
    const viewer = { ...ours, calls: { ...ours.calls, any: "POST /api/viewer" }, groups: bodies.viewers };
    const contenders = [contend(viewer, tool), contend({ ...ours, name: "GET" }, tool)];
    const one = { what: "POST /api/viewer", kind: "any", connections: 32, goal: LEAST } as const;
    const result = await compare(contenders, one, { rounds, seconds });
    printResult(result);
    const value = result.requests.GET?.median ?? Number.NaN;
    const goals = [{ what: "requests, viewer / GET existing", value, goal: LEAST, bound: "at least" } as const];
    printGoals(goals);
    const about = circumstances();
    writeResults(`${about.date}-viewer${suffix}`, { ...about, tool, groups, rounds, seconds, result, goals });
  });
}
