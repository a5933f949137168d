import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { attachAsSuperuser } from "../e2e/fixtures/embedded-superuser";
import { command, createApiToken } from "../e2e/fixtures/run";
import { startService } from "../e2e/fixtures/service-process";
import { type Bodies, writeBodies, writeRotations } from "./bodies";
import type { Server } from "./load";

export const SECRET_KEY = "0123456789abcdef".repeat(4);

/** Who may sign in to the service of a stage. */
export const OWNER = { email: "owner@example.com", password: "correct horse battery" };

/** A database with groups, and the service on it. */
export interface Stage {
  ours: Server;
  /** a connection to the database */
  database: pg.Client;
  settings: { DATABASE_URL: string; SECRET_KEY: string };
  /** a folder for files */
  folder: string;
  bodies: Bodies;
  /** has something done when the stage goes */
  atEnd(end: () => unknown): void;
}

interface StageOptions {
  groups: number;
  print(line: string): void;
  /** options of node for the service */
  nodeOptions?: string[];
  /** processes that answer the API */
  workers?: string | undefined;
}

/** Limits that are counted as ever and never met. */
export const UNLIMITED = { RATE_LIMIT_REQUESTS: "1000000000", RATE_LIMIT_CREATIONS: "1000000000" };

/** Undoes a part of what a bench has set up. */
export type Stop = () => unknown;

/** How each bench under way is undone. */
const open: (() => Promise<void>)[] = [];
let isStopping = false;

/** Undoes everything when the bench is told to end. */
async function stop() {
  if (isStopping) return;
  isStopping = true;
  for (const end of open.toReversed()) await end();
  process.exit(130);
}

/** Does the work with a folder of its own; the folder, and what the work has set up, go when it ends or is told to. */
export async function stoppable(work: (folder: string, atEnd: (end: Stop) => void) => Promise<void>) {
  const ends: Stop[] = [];
  let ending: Promise<void> | undefined;
  const endAll = async () => {
    for (let next = ends.pop(); next; next = ends.pop()) await next();
  };
  // A second caller waits for the same end.
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

/** Does the work with a database of its own, which has this many groups, and the service on it; all of it goes afterwards. */
export async function onStage(
  { groups, print, nodeOptions = [], workers = "1" }: StageOptions,
  work: (stage: Stage) => Promise<void>,
) {
  await stoppable(async (folder, atEnd) => {
    const postgres = await attachAsSuperuser(folder);
    atEnd(() => postgres.release());
    const settings = { DATABASE_URL: postgres.url, SECRET_KEY };
    const { code, stdout, stderr } = await command(["seed", "--groups", String(groups)], settings);
    if (code !== 0) throw new Error(stderr);
    print(stdout.trim());
    const database = new pg.Client({ connectionString: postgres.url });
    await database.connect();
    atEnd(() => database.end());
    // What filling it left to be written would be written while others measure.
    await database.query("CHECKPOINT");
    const bodies = await writeBodies(database, folder, SECRET_KEY);
    const token = await createApiToken(settings);
    const service = await startService(
      { ...settings, ...UNLIMITED, WORKERS: workers, ADMIN_EMAIL: OWNER.email, ADMIN_PASSWORD: OWNER.password },
      { patience: 180_000, command: [process.execPath, ...nodeOptions, "run.mjs", "server"] },
    );
    atEnd(() => service.stop());
    const ours = serverOf({ name: "ours", service, token, bodies, database });
    await work({ ours, database, settings, folder, bodies, atEnd });
  });
}

interface Serving {
  name: string;
  service: { url: string; pid: number };
  /** an API token of the environment that has the groups */
  token: string;
  bodies: Bodies;
  database: pg.Client;
}

/** A running service, and how it is called. */
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
