import { fork } from "node:child_process";
import { once } from "node:events";
import { cpus } from "node:os";
import path from "node:path";
import pg from "pg";
import type { Counted, Share } from "./fill-share";
import { GROWING, PARTS } from "./table-sizes";

/** Otherwise checkpoints write each page several times, and vacuums read them. */
const WHILE_FILLING = { max_wal_size: "16GB", checkpoint_timeout: "1h", autovacuum: "off" };
const BUILDING = "SET maintenance_work_mem = '2GB'";

/** The indexes that enforce no primary key. */
const SECONDARY = `
  SELECT indexrelid::int AS id FROM pg_index WHERE NOT indisprimary AND indrelid IN (SELECT part FROM ${PARTS})`;
const BY_SIZE = `SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indexrelid = ANY ($1) ORDER BY pg_table_size(indrelid) DESC`;

interface FillOptions {
  url: string;
  secretKey: string;
  groups: number;
  /** a superuser's connection to the same database, which is empty */
  database: pg.Client;
}

/**
 * Fills Testing with sample groups like those of `./user-groups seed`: by COPY, from a process per core, before the
 * indexes are built. Returns how long each part took, in seconds.
 */
export async function fill({ url, secretKey, groups, database }: FillOptions): Promise<Record<string, number>> {
  const took: Record<string, number> = {};
  const timed = async (what: string, work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    took[what] = Math.round((performance.now() - start) / 100) / 10;
  };
  for (const [name, value] of Object.entries(WHILE_FILLING))
    await database.query(`ALTER SYSTEM SET ${name} = '${value}'`);
  await database.query("SELECT pg_reload_conf()");
  // Nothing is written to an index that is marked so, and REINDEX builds it by its own definition.
  const { rows } = await database.query<{ id: number }>(SECONDARY, [GROWING]);
  const ids = rows.map(({ id }) => id);
  await database.query("UPDATE pg_index SET indisvalid = false, indisready = false WHERE indexrelid = ANY ($1)", [ids]);
  // Its rows were never used, and would be updated one by one.
  await database.query("ALTER TABLE user_group DISABLE TRIGGER user_group_use");
  await timed("rows", () => copyRows({ url, secretKey, groups, database }));
  await database.query("ALTER TABLE user_group ENABLE TRIGGER user_group_use");
  await timed("vacuum", () =>
    inParallel(
      url,
      GROWING.map((table) => `VACUUM ${table}`),
    ),
  );
  const { rows: bySize } = await database.query<{ name: string }>(BY_SIZE, [ids]);
  await timed("indexes", () =>
    inParallel(
      url,
      bySize.map(({ name }) => `REINDEX INDEX ${name}`),
    ),
  );
  await timed("analyze", () =>
    inParallel(
      url,
      GROWING.map((table) => `ANALYZE ${table}`),
    ),
  );
  for (const name of Object.keys(WHILE_FILLING)) await database.query(`ALTER SYSTEM RESET ${name}`);
  await database.query("SELECT pg_reload_conf()");
  await timed("checkpoint", () => database.query("CHECKPOINT"));
  const { rowCount } = await database.query("SELECT FROM pg_index WHERE NOT indisvalid");
  if (rowCount) throw new Error(`${rowCount} indexes are not valid.`);
  return took;
}

/** Has the rows generated and copied, a share by each process, and adds up the environment's checks. */
async function copyRows({ url, secretKey, groups, database }: FillOptions) {
  const { rows } = await database.query<{ id: number }>("SELECT id FROM environment WHERE slug = 'testing'");
  const of = cpus().length;
  const common = { url, secretKey, groups, environmentId: rows[0]?.id ?? 0, now: Date.now(), of };
  const shares = await Promise.all(Array.from({ length: of }, (_, nth) => copyShare({ ...common, nth })));
  const months = new Map<string, number[]>();
  for (const [month, days] of shares.flatMap((share) => Object.entries(share))) {
    const sums = months.get(month) ?? Array(31).fill(0);
    for (const [day, checks] of days.entries()) sums[day] += checks;
    months.set(month, sums);
  }
  for (const [month, days] of months)
    await database.query("INSERT INTO environment_use_month (environment_id, month, days) VALUES ($1, $2, $3)", [
      common.environmentId,
      month,
      days,
    ]);
  await database.query("SELECT setval('user_group_team_id_seq', $1)", [groups]);
}

async function copyShare(share: Share): Promise<Counted> {
  const worker = fork(path.join(import.meta.dirname, "fill-share.ts"), { execArgv: ["--import", "tsx"] });
  const ended = once(worker, "exit").then(([code]) => {
    throw new Error(`a process that fills the database exited with ${code}`);
  });
  const counted = once(worker, "message");
  worker.send(share);
  const [months] = await Promise.race([counted, ended]);
  ended.catch(() => undefined);
  worker.kill();
  return months;
}

/** Runs the statements on a connection per core. */
async function inParallel(url: string, statements: string[]) {
  const left = [...statements];
  const work = async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(BUILDING);
    for (let next = left.shift(); next; next = left.shift()) await client.query(next);
    await client.end();
  };
  await Promise.all(Array.from(cpus(), work));
}
