// What an instance costs that nobody calls: statements and sessions a second, CPU and memory, with one webhook.
//   npx tsx bench/idle.ts [FOLDER] [--minutes 5]
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import pg from "pg";
import { makePostgres, processesOf } from "../e2e/fixtures/own-postgres";
import { commandIn } from "../e2e/fixtures/run";
import { startService } from "../e2e/fixtures/service-process";
import { cpuSeconds } from "./load";
import { circumstances, print } from "./report";
import { SECRET_KEY, stoppable } from "./stage";

const { values: options, positionals } = parseArgs({
  options: { minutes: { type: "string", default: "5" } },
  allowPositionals: true,
});
const cwd = path.resolve(positionals[0] ?? ".");
const seconds = Number(options.minutes) * 60;
/** Until first runs are over, and what was loaded for them has been collected. */
const SETTLING_MS = 90_000;
/** Of ours; the bench's own session counts too. */
const COUNTS = `
  SELECT (SELECT sum(calls)::int FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%') AS statements,
    sum(sessions)::int AS sessions FROM pg_stat_database`;

await stoppable(async (place, atEnd) => {
  const postgres = await makePostgres(path.join(place, "postgres"), {
    settings: { shared_preload_libraries: "pg_stat_statements", "pg_stat_statements.track_utility": "on" },
  });
  atEnd(() => postgres.stop());
  const database = new pg.Client({ connectionString: postgres.url });
  await database.connect();
  atEnd(() => database.end());
  await database.query("CREATE EXTENSION pg_stat_statements");
  const settings = { DATABASE_URL: postgres.url, SECRET_KEY, WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8" };
  const webhooks = path.join(place, "webhooks.json");
  writeFileSync(webhooks, JSON.stringify({ webhooks: [{ url: "https://127.0.0.1:9/" }] }));
  for (const args of [
    ["api-token", "create", "--name", "bench", "--environment", "testing"],
    ["seed", "--groups", "1000"],
    // After that: its webhook has nothing to send.
    ["settings", "apply", webhooks, "--environment", "testing"],
  ]) {
    const { code, stderr } = await commandIn(cwd, args, settings);
    if (code !== 0) throw new Error(stderr);
  }
  const service = await startService(settings, { cwd, patience: 180_000 });
  atEnd(() => service.stop());
  await sleep(SETTLING_MS);
  const counted = async () => (await database.query<{ statements: number; sessions: number }>(COUNTS)).rows[0];
  const [before, cpuBefore] = [await counted(), cpuSeconds(service.pid)];
  await sleep(seconds * 1_000);
  const [after, cpu] = [await counted(), cpuSeconds(service.pid) - cpuBefore];
  if (!before || !after) throw new Error("the counts are missing");
  const { machine, commit } = circumstances();
  print(`${machine}; ${cwd === process.cwd() ? commit : cwd}; ${seconds} s`);
  const figures = {
    "statements a second": (after.statements - before.statements) / seconds,
    "sessions a second": (after.sessions - before.sessions) / seconds,
    "CPU, % of a core": (cpu / seconds) * 100,
    "memory, MiB (PSS of all processes)": (await processesOf(service.pid)).reduce(
      (sum, pid) => sum + pssMebibytes(pid),
      0,
    ),
  };
  for (const [what, value] of Object.entries(figures)) print(`${what.padEnd(36)} ${value.toFixed(2)}`);
  const { rows } = await database.query(
    "SELECT calls, left(query, 100) AS query FROM pg_stat_statements ORDER BY calls DESC LIMIT 12",
  );
  for (const { calls, query } of rows) print(`  ${String(calls).padStart(6)}  ${query.replaceAll(/\s+/g, " ")}`);
});

/** Proportional set size: what processes share counts once. */
function pssMebibytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) / 1024;
}
