// Measures the gain of a second API process: `npx tsx bench/workers.ts [share of a core for each process]`.
// Needs root and control groups version 1: limits each API process to a share of a core, so that the load
// generator and PostgreSQL do not compete with them for the few cores.
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { childrenOf } from "../e2e/fixtures/children";
import { compare } from "./compare";
import { SOME } from "./goals";
import { chooseTool, contend } from "./load";
import { circumstances, print, printResult } from "./report";
import { onStage, type Stage } from "./stage";

const GROUPS = "/sys/fs/cgroup/cpu";
const PERIOD = 10_000;
const EFFORT = { rounds: 7, seconds: 5 };

const share = Number(process.argv[2] ?? 0.25);
const { machine, commit } = circumstances();
print(`${machine}; commit ${commit}; each API process has ${share} of a core`);
await withWorkers(1, async (one) => {
  await withWorkers(2, async (two) => {
    const tool = chooseTool();
    const contenders = [contend(two.ours, tool), contend({ ...one.ours, name: "one process" }, tool)];
    const load = { what: "GET existing", kind: "any", connections: SOME, goal: 2 } as const;
    printResult(await compare(contenders, load, EFFORT));
  });
});

/** Does the work on a stage with this many API processes. */
async function withWorkers(count: number, work: (stage: Stage) => Promise<void>) {
  await onStage({ groups: 10_000, print, workers: String(count) }, async (stage) => {
    const workers = await childrenOf(stage.ours.pid, "worker");
    const pids = workers.length > 0 ? workers : [stage.ours.pid];
    if (pids.length !== count) throw new Error(`${pids.length} processes answer the API instead of ${count}`);
    for (const pid of pids) stage.atEnd(limit(pid));
    await work(stage);
  });
}

/** Limits a process to its share of a core; returns a function that removes the group once the process has ended. */
function limit(pid: number): () => void {
  const group = path.join(GROUPS, `user-groups-${pid}`);
  mkdirSync(group);
  writeFileSync(path.join(group, "cpu.cfs_period_us"), String(PERIOD));
  writeFileSync(path.join(group, "cpu.cfs_quota_us"), String(PERIOD * share));
  writeFileSync(path.join(group, "cgroup.procs"), String(pid));
  return () => {
    for (const task of readFileSync(path.join(group, "cgroup.procs"), "utf8").split("\n").filter(Boolean))
      writeFileSync(path.join(GROUPS, "cgroup.procs"), task);
    rmdirSync(group);
  };
}
