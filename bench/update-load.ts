import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { GROWING } from "../e2e/fixtures/fill";
import { contend, type Server } from "./load";
import type { Stage } from "./stage";
import { type Updates, updatesDuring } from "./table-sizes";

const CONNECTIONS = 32;
const MAPPINGS = 100_000;
/** Uses are written many at a time. */
const USES_WRITTEN_MS = 15_000;

/** A load of updates: its updates of each table. */
export interface UpdateLoad {
  what: string;
  tables: Updates[];
}

/** Sends each kind of update for some seconds. */
export async function measureUpdates(stage: Stage, seconds: number): Promise<UpdateLoad[]> {
  const { ours, bodies, database } = stage;
  const send = (server: Server, kind: "any" | "named" | "next") =>
    contend(server).run({ kind, connections: CONNECTIONS, seconds });
  const mapped = { ...ours, calls: { ...ours.calls, any: "PUT /api/user" }, groups: await writeMappings(stage) };
  const asked = { ...ours, calls: { ...ours.calls, any: "POST /api/viewer" }, groups: bodies.viewers };
  const loads: Record<string, () => Promise<unknown>> = {
    "PUT, another name": () => send(ours, "named"),
    "PUT, another mapping": () => send(mapped, "any"),
    "POST, rotating": () => send(ours, "next"),
    "POST /api/viewer": () => send(asked, "any").then(() => sleep(USES_WRITTEN_MS)),
  };
  const measured: UpdateLoad[] = [];
  for (const [what, load] of Object.entries(loads)) {
    measured.push({ what, tables: await updatesDuring(database, load) });
  }
  return measured;
}

/** Bodies with another mapping, for groups that are spread evenly. */
async function writeMappings({ bodies, folder }: Stage): Promise<string> {
  const lines: string[] = [];
  let read = 0;
  for await (const line of createInterface({ input: createReadStream(bodies.groups) })) {
    if (read++ % 10 === 0) lines.push(`${line.slice(0, -1)},"mapping":{"40":"mapped ${read}"}}\n`);
    if (lines.length === MAPPINGS) break;
  }
  const file = path.join(folder, "mappings");
  await writeFile(file, lines.join(""));
  return file;
}

/** Seconds that a vacuum of each table takes at the pace of autovacuum. */
export async function measureVacuums(database: pg.Client): Promise<Record<string, number>> {
  await database.query("SET vacuum_cost_delay = '2ms'");
  const took: Record<string, number> = {};
  for (const table of GROWING) {
    const start = performance.now();
    await database.query(`VACUUM ${table}`);
    took[table] = (performance.now() - start) / 1_000;
  }
  await database.query("RESET vacuum_cost_delay");
  return took;
}
