// The costs of an idle instance with one webhook: statements and sessions per second, and memory.
//   npx tsx bench/idle.ts [MINUTES]
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { makePostgres, processesOf } from "../e2e/fixtures/own-postgres";
import { command } from "../e2e/fixtures/run";
import { startService } from "../e2e/fixtures/service-process";
import { circumstances, print } from "./report";
import { SECRET_KEY, stoppable } from "./stage";

const [, , minutes = "5"] = process.argv;
const seconds = Number(minutes) * 60;
/** Until the tasks' first runs are over, and their garbage has been collected. */
const SETTLING_MS = 90_000;
/** Counts of statements, without the bench's own, and of sessions, with the bench's own. */
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
    // After the seed, so that the webhook has nothing to send.
    ["settings", "apply", webhooks, "--environment", "testing"],
  ]) {
    const { code, stderr } = await command(args, settings);
    if (code !== 0) throw new Error(stderr);
  }
  const service = await startService(settings, { patience: 180_000 });
  atEnd(() => service.stop());
  await sleep(SETTLING_MS);
  const counted = async () => (await database.query<{ statements: number; sessions: number }>(COUNTS)).rows[0];
  const before = await counted();
  await sleep(seconds * 1_000);
  const after = await counted();
  if (!before || !after) throw new Error("the counts are missing");
  const { machine, commit } = circumstances();
  print(`${machine}; ${commit}; ${seconds} s`);
  const figures = {
    "statements a second": (after.statements - before.statements) / seconds,
    "sessions a second": (after.sessions - before.sessions) / seconds,
    "memory, MiB (PSS of all processes)": (await processesOf(service.pid)).reduce(
      (sum, pid) => sum + pssMebibytes(pid),
      0,
    ),
  };
  for (const [what, value] of Object.entries(figures)) print(`${what.padEnd(36)} ${value.toFixed(2)}`);
});

/** Proportional set size: memory that processes share counts once. */
function pssMebibytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) / 1024;
}
