import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type pg from "pg";
import { GROWING, PARTS } from "../e2e/fixtures/fill";
import { measureBulkWork } from "./bulk-work";
import { compare } from "./compare";
import type { Goal } from "./goals";
import { measureListsOf } from "./list-latency";
import { contend } from "./load";
import { circumstances, print, printGoals, printResult, printTable, writeResults } from "./report";
import { measureSchemaChanges } from "./schema-changes";
import { onStage, type Stage } from "./stage";

const FEW = 1_000;
const A_MILLION = 1_000_000;
/** Goals up to a million groups, and beyond. */
const GOALS = { million: { least: 0.9, listMs: 50 }, beyond: { least: 0.85, listMs: 100 } };
const CHECKED = 200;
/** Share of the closed loop's requests that come while the schema changes. */
const SHARE = 0.25;
const SIZES = `
  SELECT t::text AS table, sum(pg_table_size(part))::float / $2 AS heap, sum(pg_indexes_size(part))::float / $2 AS indexes
  FROM ${PARTS} GROUP BY t ORDER BY 2 DESC`;

/** What a table takes for each group, in bytes. */
interface TableSize {
  table: string;
  heap: number;
  indexes: number;
}

interface GrowthOptions {
  /** number of groups in the larger database */
  groups: number;
  rounds: number;
  seconds: number;
  /** of the results' name */
  suffix: string;
}

/** Compares the service on a thousand groups and on many, in turn, and measures lists and all work on the many. */
export async function measureGrowth({ groups, rounds, seconds, suffix }: GrowthOptions) {
  const { least, listMs } = groups > A_MILLION ? GOALS.beyond : GOALS.million;
  await onStage(groups, (many) =>
    onStage(FEW, async (few) => {
      await checkSample(many);
      const sizes = await sizesOf(many.database, groups);
      print("\nBytes a group");
      printTable(sizes);
      const contenders = [contend(many.ours), contend({ ...few.ours, name: "few" })];
      const one = { what: "GET existing", kind: "any", connections: 32, goal: least } as const;
      const result = await compare(contenders, one, { rounds, seconds });
      print(`\nours: ${groups} groups, few: ${FEW} groups`);
      printResult(result);
      const lists = await measureListsOf(many);
      print(`\nThe dashboard's lists of ${groups} groups, in ms`);
      printTable(lists);
      const rate = Math.round((result.contenders.ours?.perSecond ?? 0) * SHARE);
      const changes = await measureSchemaChanges(many, rate);
      print(`\nGET existing, ${rate} a second, while the schema changes; p99 in ms`);
      printTable(changes);
      const work = await measureBulkWork(many, groups);
      printTable(work.map((one) => ({ ...one, "rows/s": one.rows / one.seconds })));
      const slowest = Math.max(...lists.map(({ p95 }) => p95));
      const kept = result.ratios.few?.median ?? Number.NaN;
      const goals: Goal[] = [
        { what: `GET existing: requests, ${groups} groups / ${FEW}`, value: kept, goal: least, bound: "at least" },
        { what: `lists of ${groups} groups: slowest p95, ms`, value: slowest, goal: listMs, bound: "at most" },
      ];
      printGoals(goals);
      const about = circumstances();
      const measured = { sizes, result, lists, changes, work };
      writeResults(`${about.date}-growth${suffix}`, { ...about, groups, rounds, seconds, ...measured, goals });
    }),
  );
}

/** Asks the service for some of the groups, by id and by token, and for their history. */
async function checkSample({ ours, bodies }: Stage) {
  const [ids, tokens] = await Promise.all([linesOf(bodies.groups), linesOf(bodies.viewers)]);
  const call = async (path: string, body: string) => {
    const answer = await fetch(`${ours.url}/api/${path}`, { method: "POST", headers: ours.headers, body });
    return (await answer.json()) as { new_user_group?: boolean; active?: boolean; user_group?: Answered };
  };
  for (let n = 0; n < CHECKED; n++) {
    const at = Math.floor((n * ids.length) / CHECKED);
    const { new_user_group: isNew, user_group: group } = await call("user/get-or-create", ids[at] ?? "");
    const { active, user_group: viewed } = await call("viewer", tokens[at] ?? "");
    const isSame = group?.provided_id === viewed?.provided_id && tokens[at] === JSON.stringify({ token: group?.token });
    if (isNew || !active || !isSame) throw new Error(`The service does not find ${ids[at]} as it was filled in.`);
  }
}

interface Answered {
  provided_id: string;
  token?: string;
}

async function linesOf(file: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file) })) lines.push(line);
  return lines;
}

/** Each growing table's bytes per group. */
async function sizesOf(database: pg.Client, groups: number): Promise<TableSize[]> {
  const { rows } = await database.query<TableSize>(SIZES, [GROWING, groups]);
  return rows.map(({ table, heap, indexes }) => ({ table, heap: Math.round(heap), indexes: Math.round(indexes) }));
}
