import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { makePostgres } from "../e2e/fixtures/own-postgres";
import { commandIn } from "../e2e/fixtures/run";
import { startService } from "../e2e/fixtures/service-process";
import { estimate, median } from "../e2e/fixtures/statistics";
import { writeBodies } from "./bodies";
import type { Goal } from "./goals";
import { type Contender, contend, cpuSeconds, type Load, type Server } from "./load";
import { print, printGoals } from "./report";
import { SECRET_KEY, type Stop, serverOf, stoppable, UNLIMITED } from "./stage";

interface AgainstOptions {
  /** a checkout of another commit with its dependencies */
  folder: string;
  /** prefix of the names of the loads to run; undefined for all */
  only: string | undefined;
  groups: number;
  rounds: number;
  seconds: number;
}

/** One of the two commits: its service on its own database, and its costs per request. */
interface Side {
  service: Server;
  viewers: Server;
  strangers: Server;
  minting: Server;
  database: pg.Client;
}

interface LoadOf {
  what: string;
  of: "service" | "viewers" | "strangers" | "minting";
  kind: Load["kind"];
}

const LOADS: LoadOf[] = [
  { what: "GET existing", of: "service", kind: "any" },
  { what: "POST /api/viewer", of: "viewers", kind: "any" },
  { what: "POST /api/viewer, unknown token", of: "strangers", kind: "any" },
  { what: "GET creating", of: "service", kind: "fresh" },
  { what: "PUT", of: "service", kind: "named" },
  { what: "POST rotating", of: "service", kind: "next" },
  { what: "POST /api/viewer-tokens", of: "minting", kind: "any" },
  { what: "mix 90/5/4/1", of: "service", kind: "mix" },
];
const CONNECTIONS = 32;
const WARM_UP = { connections: CONNECTIONS, seconds: 5 };
/** The highest ratio of CPU per request; statements per request must not increase. */
const MAX_CPU = 1.03;
const MAX_STATEMENTS = 0.02;

/**
 * Compares this checkout with another commit in alternating rounds: CPU and statements per request. Two processes of
 * the same commit also differ, by up to 12 % on 2 cores: before believing a ratio, compare the commit with itself.
 */
export async function measureAgainst({ folder, only = "", groups, rounds, seconds }: AgainstOptions) {
  const other = path.resolve(folder);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: other, encoding: "utf8" }).trim();
  print(`against ${commit}; ${groups} groups, ${rounds} rounds of ${seconds} s, ${CONNECTIONS} connections`);
  await stoppable(async (place, atEnd) => {
    const postgres = await makePostgres(path.join(place, "postgres"), {
      settings: { shared_buffers: "512MB", shared_preload_libraries: "pg_stat_statements" },
    });
    atEnd(() => postgres.stop());
    const open = (name: string, cwd: string) => openSide({ name, cwd, place, postgres: postgres.url, groups, atEnd });
    const ours = await open("ours", process.cwd());
    const theirs = await open("theirs", other);
    const results = [];
    for (const { what, of, kind } of LOADS.filter((load) => load.what.startsWith(only))) {
      const contenders = [ours, theirs].map((side) => ({ side, contender: contend(side[of]) }));
      for (const { contender } of contenders) await contender.run({ kind, ...WARM_UP });
      const costs = contenders.map(() => [] as number[]);
      for (let round = 0; round < rounds; round++) {
        for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const one = contenders[at];
          if (one) costs[at]?.push(await measure(one, { kind, connections: CONNECTIONS, seconds }));
        }
      }
      const [mine = [], others = []] = costs;
      const result = {
        what,
        micros: { ours: median(mine), theirs: median(others) },
        cpu: estimate(mine.map((cost, round) => cost / (others[round] ?? cost))),
        statements: kind === "mix" ? undefined : await statements(contenders, kind),
      };
      results.push(result);
      print(
        `\n${what}: ${result.micros.ours.toFixed(1)} µs CPU per request, ${result.micros.theirs.toFixed(1)} before`,
      );
      const { median: middle, low, high } = result.cpu;
      print(`  CPU        ours/theirs ${middle.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`);
      if (result.statements)
        print(`  statements ${result.statements.ours.toFixed(3)}, ${result.statements.theirs.toFixed(3)} before`);
    }
    const goals: Goal[] = [];
    for (const { what, cpu, statements: counted } of results) {
      goals.push({ what: `${what}: CPU per request, lower end`, value: cpu.low, goal: MAX_CPU, bound: "at most" });
      if (!counted) continue;
      const value = counted.ours - counted.theirs;
      goals.push({ what: `${what}: additional statements per request`, value, goal: MAX_STATEMENTS, bound: "at most" });
    }
    printGoals(goals);
  });
}

interface SideOptions {
  name: string;
  cwd: string;
  place: string;
  /** the server's superuser URL */
  postgres: string;
  groups: number;
  atEnd(end: Stop): void;
}

async function openSide({ name, cwd, place, postgres, groups, atEnd }: SideOptions): Promise<Side> {
  const admin = new pg.Client({ connectionString: postgres });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = new URL(postgres);
  url.pathname = name;
  const settings = { DATABASE_URL: url.href, SECRET_KEY, DATA_DIR: path.join(place, `${name}-data`) };
  const command = async (...args: string[]) => {
    const { code, stdout, stderr } = await commandIn(cwd, args, settings);
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  print(`${name}: ${await command("seed", "--groups", String(groups))}`);
  const token = await command("api-token", "create", "--name", "bench", "--environment", "testing");
  const database = new pg.Client({ connectionString: url.href });
  await database.connect();
  atEnd(() => database.end());
  await database.query("CREATE EXTENSION pg_stat_statements");
  await database.query("CHECKPOINT");
  const folder = path.join(place, name);
  mkdirSync(folder);
  const bodies = await writeBodies(database, folder, SECRET_KEY);
  const started = await startService({ ...settings, ...UNLIMITED }, { cwd, patience: 180_000 });
  atEnd(() => started.stop());
  const service = serverOf({ name, service: started, token, bodies, database });
  const viewers = { ...service, calls: { ...service.calls, any: "POST /api/viewer" }, groups: bodies.viewers };
  const minting = { ...service, calls: { ...service.calls, any: "POST /api/viewer-tokens" } };
  return { service, viewers, strangers: { ...viewers, groups: bodies.strangers }, minting, database };
}

/** CPU microseconds per request, of the service and of its connections' backends. */
async function measure({ side, contender }: { side: Side; contender: Contender }, load: Load): Promise<number> {
  const before = await backends(side.database);
  const { requests, cpu, errors } = await contender.run(load);
  if (errors > 0) throw new Error(`${errors} requests failed at ${contender.name}`);
  const after = await backends(side.database);
  const used = [...after].reduce((sum, [pid, seconds]) => sum + seconds - (before.get(pid) ?? 0), 0);
  return ((cpu + used) / requests) * 1e6;
}

/** Each connection backend's CPU seconds so far, by pid. */
async function backends(database: pg.Client): Promise<Map<number, number>> {
  const { rows } = await database.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  return new Map(rows.map(({ pid }) => [pid, cpuSeconds(pid)]));
}

/** Statements per request of a single caller; periodic work is far rarer than requests, and ignored. */
async function statements(sides: { side: Side; contender: Contender }[], kind: Load["kind"]) {
  const counts = [];
  for (const { side, contender } of sides) {
    await side.database.query("SELECT pg_stat_statements_reset()");
    const { requests } = await contender.run({ kind, connections: 1, seconds: 3 });
    const { rows } = await side.database.query<{ calls: number }>(
      `SELECT coalesce(sum(calls), 0)::int AS calls FROM pg_stat_statements
       WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND calls > $1::int`,
      [Math.floor(requests / 10)],
    );
    counts.push((rows[0]?.calls ?? Number.NaN) / requests);
  }
  const [ours = Number.NaN, theirs = Number.NaN] = counts;
  return { ours, theirs };
}
