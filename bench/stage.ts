import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { attachAsSuperuser } from "../e2e/fixtures/embedded-superuser";
import { fill } from "../e2e/fixtures/fill";
import { createApiToken } from "../e2e/fixtures/run";
import { startService } from "../e2e/fixtures/service-process";
import { type Bodies, writeBodies, writeRotations } from "./bodies";
import type { Server } from "./load";
import { print } from "./report";

export const SECRET_KEY = "0123456789abcdef".repeat(4);

/** A database with groups, and a service on it. */
export interface Stage {
  ours: Server;
  /** a connection to the database */
  database: pg.Client;
  settings: { DATABASE_URL: string; SECRET_KEY: string };
  bodies: Bodies;
  /** registers cleanup for the end of the stage */
  atEnd(end: () => unknown): void;
}

/** A limit that is counted as usual but never reached. */
export const UNLIMITED = { RATE_LIMIT_REQUESTS: "1000000000" };

/** Cleans up a part of a bench. */
export type Stop = () => unknown;

/** Cleanups of the running benches. */
const open: (() => Promise<void>)[] = [];
let isStopping = false;

/** Cleans up everything on a signal. */
async function stop() {
  if (isStopping) return;
  isStopping = true;
  for (const end of open.toReversed()) await end();
  process.exit(130);
}

/** Does the work with a temporary folder, and cleans up both at the end or on a signal. */
export async function stoppable(work: (folder: string, atEnd: (end: Stop) => void) => Promise<void>) {
  const ends: Stop[] = [];
  let ending: Promise<void> | undefined;
  const endAll = async () => {
    for (let next = ends.pop(); next; next = ends.pop()) await next();
  };
  // A second caller awaits the same cleanup.
  const end = () => {
    ending ??= endAll();
    return ending;
  };
  if (open.length === 0) process.on("SIGINT", stop).on("SIGTERM", stop);
  open.push(end);
  try {
    const folder = mkdtempSync(path.join(tmpdir(), "user-groups-bench-"));
    ends.push(() => rmSync(folder, { recursive: true }));
    await work(folder, (last) => ends.push(last));
  } finally {
    await end();
    open.splice(open.indexOf(end), 1);
    if (open.length === 0) process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}

/** Does the work with a new database of this many groups, and a service on it; removes everything afterwards. */
export async function onStage(groups: number, work: (stage: Stage) => Promise<void>) {
  await stoppable(async (folder, atEnd) => {
    const postgres = await attachAsSuperuser(folder);
    atEnd(() => postgres.release());
    const settings = { DATABASE_URL: postgres.url, SECRET_KEY };
    // The first command migrates the database.
    const token = await createApiToken(settings);
    const database = new pg.Client({ connectionString: postgres.url });
    await database.connect();
    atEnd(() => database.end());
    const filled = await fill({ url: postgres.url, secretKey: SECRET_KEY, groups, database });
    print(
      `${groups} groups: ${Object.entries(filled)
        .map(([part, seconds]) => `${part} ${seconds} s`)
        .join(", ")}`,
    );
    const bodies = await writeBodies(database, folder, SECRET_KEY);
    const service = await startService({ ...settings, ...UNLIMITED }, { patience: 180_000 });
    atEnd(() => service.stop());
    const ours = serverOf({ name: "ours", service, token, bodies, database });
    await work({ ours, database, settings, bodies, atEnd });
  });
}

interface Serving {
  name: string;
  service: { url: string; pid: number };
  /** an API token of the environment with the groups */
  token: string;
  bodies: Bodies;
  database: pg.Client;
}

/** A running service, and its calls. */
export function serverOf({ name, service: { url, pid }, token, bodies, database }: Serving): Server {
  return {
    name,
    url,
    pid,
    calls: { any: "GET /api/user", fresh: "GET /api/user", named: "PUT /api/user", next: "POST /api/user" },
    headers: { "Content-Type": "application/json", Authorization: `Token ${token}` },
    ...bodies,
    renewRotations: () => writeRotations(database, bodies.rotations),
  };
}
