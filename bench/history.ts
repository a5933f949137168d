import { writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { command } from "../e2e/fixtures/run";
import type { Goal } from "./goals";
import { startGenerator } from "./open-loop";
import { circumstances, print, printGoals, writeResults } from "./report";
import { type During, worst } from "./schema-changes";
import { onStage, type Stage } from "./stage";

const GROUPS = 10_000;
/** Changes a second. */
const RATE = 1_000;
const SECONDS = 5;
const MOST_P99_MS = 250;
/** The pause of a slow reader between two pieces of its export. */
const PAUSE_MS = 50;
const MONTH = "date_trunc('month', now()) - interval '2 months'";

interface HistoryOptions {
  entries: number;
  suffix: string;
}

/** Drops a month of this many entries while changes come at a rate and an export is open. */
export async function measureHistory({ entries, suffix }: HistoryOptions) {
  await onStage({ groups: GROUPS, print }, async (stage) => {
    const { ours, settings, folder, atEnd } = stage;
    const month = await fillMonth(stage, entries);
    print(`${month}: ${entries} entries`);
    const keep = startGenerator(atEnd);
    const server = {
      ...ours,
      calls: { ...ours.calls, any: "PUT /api/user" },
      groups: await writeChanges(stage, path.join(folder, "changes")),
    };
    const measure = () => keep({ server, rate: RATE, seconds: SECONDS });
    await measure();
    const measured: During[] = [
      { what: "nothing else", seconds: SECONDS, ...worst([await measure(), await measure()]) },
    ];
    const reading = readSlowly(stage);
    measured.push({ what: "an open export", seconds: SECONDS, ...worst([await measure(), await measure()]) });
    const start = performance.now();
    let seconds = 0;
    const pruned = command(["prune-history"], { ...settings, HISTORY_KEPT: "1 month" }).finally(() => {
      seconds = (performance.now() - start) / 1_000;
    });
    const all = [await measure()];
    while (seconds === 0) all.push(await measure());
    const { stdout, stderr } = await pruned;
    if (!stdout.includes(month)) throw new Error(stdout + stderr);
    const dropping = { what: "… and a month is dropped", seconds, ...worst(all) };
    measured.push(dropping);
    await reading.stop();
    for (const { what, seconds: took, p99, p999, errors } of measured) {
      print(`${what}: ${took.toFixed(1)} s, p99 ${p99.toFixed(1)} ms, p99.9 ${p999.toFixed(1)} ms, ${errors} errors`);
    }
    const goals: Goal[] = [
      { what: "p99 of changes while a month is dropped, ms", value: dropping.p99, goal: MOST_P99_MS, bound: "at most" },
      { what: "errors", value: measured.reduce((sum, { errors }) => sum + errors, 0), goal: 0, bound: "at most" },
    ];
    printGoals(goals);
    const about = circumstances();
    writeResults(`${about.date}-history${suffix}`, { ...about, groups: GROUPS, rate: RATE, entries, measured, goals });
  });
}

/** Makes a month that ended more than one month ago, with copies of the groups' entries; returns its table. */
async function fillMonth({ database }: Stage, entries: number): Promise<string> {
  const { rows } = await database.query<{ table: string; first: string; end: string }>(
    `SELECT to_char(m, '"audit_entry_"YYYY"_"MM') AS table, to_char(m, 'YYYY-MM-DD"T00:00:00Z"') AS first,
       to_char(m + interval '1 month', 'YYYY-MM-DD"T00:00:00Z"') AS end
     FROM (SELECT ${MONTH}) AS one(m)`,
  );
  const [month] = rows;
  if (!month) throw new Error("no month");
  await database.query(`CREATE TABLE ${month.table} (LIKE audit_entry INCLUDING DEFAULTS)`);
  await database.query(
    `INSERT INTO ${month.table} (at, environment_id, team_id, action, actor_type, actor_id, actor_name, request_id, before, after)
     SELECT '${month.first}'::timestamptz + n * (interval '28 days' / $1::int), environment_id, team_id, 'user_group.updated', actor_type,
       actor_id, actor_name, gen_random_uuid(), after, after
     FROM (SELECT *, row_number() OVER () AS row FROM audit_entry WHERE action = 'user_group.created' LIMIT ${GROUPS}) AS one
     JOIN generate_series(0, $1::int - 1) AS n ON n % ${GROUPS} = row - 1`,
    [entries],
  );
  // Its indexes are built here.
  await database.query(
    `ALTER TABLE audit_entry ATTACH PARTITION ${month.table} FOR VALUES FROM ('${month.first}') TO ('${month.end}')`,
  );
  await database.query("CHECKPOINT");
  return month.table;
}

/** Bodies that each give a group another name. */
async function writeChanges({ database }: Stage, file: string): Promise<string> {
  const { rows } = await database.query<{ provided_id: string }>("SELECT provided_id FROM user_group LIMIT 10000");
  const lines = Array.from({ length: 10 }, (_, n) =>
    rows.map(({ provided_id }) => `${JSON.stringify({ user_group_id: provided_id, name: `Name ${n}` })}\n`),
  );
  await writeFile(file, lines.flat().join(""));
  return file;
}

/** Reads an export of the history, and begins another when it ends. */
function readSlowly({ ours }: Stage) {
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      const response = await fetch(`${ours.url}/api/user-groups/history/export?format=jsonl`, {
        headers: { Authorization: ours.headers.Authorization ?? "", "Accept-Encoding": "identity" },
      });
      if (response.status !== 200) throw new Error(await response.text());
      const reader = response.body?.getReader();
      for (let piece = await reader?.read(); piece && !piece.done && !isOver; piece = await reader?.read())
        await sleep(PAUSE_MS);
      await reader?.cancel();
    }
  };
  const running = run();
  running.catch(() => undefined); // Awaited by stop().
  return {
    async stop() {
      isOver = true;
      await running;
    },
  };
}
