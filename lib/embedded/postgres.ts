import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import { Connection } from "@/lib/db/connection";
import { codeOf } from "@/lib/db/failures";
import { StartError } from "@/lib/errors";
import { makeRole, type PgRole, setRolePassword } from "@/lib/migrations/roles";
import {
  type Cluster,
  checkVersion,
  createCluster,
  failure,
  openCluster,
  readPassword,
  readPostmaster,
  resetPassword,
  SUPERUSER,
  startServer,
} from "./cluster";
import { isAlive, isServerOf, oneAtATime, stopOrphans, stopServer } from "./process";

/** The embedded database, as one attached process holds it. */
export interface EmbeddedDatabase {
  /** `postgresql://…` of the runtime role, including the password. */
  url: string;
  /** The data folder. */
  location: string;
  /** Detaches from the database and stops it when no other process is attached; never throws. */
  release(): Promise<void>;
}

// Missing from @types/pg.
declare module "pg" {
  interface Client {
    ref(): void;
    unref(): void;
  }
}

const DATABASE = "user_groups";
/** The advisory lock that every attached process shares: getting it exclusively means being the last. */
const ATTACHED = "1970430068, 1";
/** In milliseconds: an interrupted crash recovery begins again, and a running server answers immediately. */
const PATIENCE = {
  turn: 180_000,
  attempts: 60_000,
  recovery: 3_600_000,
  answer: 10_000,
  orphans: 5_000,
  release: 30_000,
  pace: 2_000,
};

interface Login extends PgRole {
  port: number;
  database: string;
}

async function connect({ name, password, port, database }: Login, statement: string): Promise<Client> {
  const client = new Connection({
    host: "127.0.0.1",
    port,
    user: name,
    password,
    database,
    ssl: false,
    application_name: "user-group-service attached",
    connectionTimeoutMillis: PATIENCE.answer / 2,
    query_timeout: PATIENCE.answer,
  });
  try {
    await client.connect();
    await client.query(statement);
    return client;
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
}

/** As the superuser, creates the runtime role with its password, and the database. */
async function furnish({ runtime, readPassword }: Cluster, port: number): Promise<void> {
  const superuser = { name: SUPERUSER, password: await readPassword(), port, database: "postgres" };
  const client = await connect(superuser, "SELECT");
  try {
    await makeRole(client, runtime);
    await setRolePassword(client, runtime);
    const { rows } = await client.query("SELECT FROM pg_database WHERE datname = $1", [DATABASE]);
    if (rows.length === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    client.end().catch(() => undefined);
  }
}

/** Waits for a running server and attaches to it; returns why it must be replaced instead. */
async function knock(cluster: Cluster, pid: number): Promise<Client | "silent" | "password"> {
  const start = Date.now();
  for (; await isServerOf(pid, cluster.data); await sleep(20)) {
    const found = await readPostmaster(cluster.data);
    if (Date.now() - start > (found?.status === "starting" ? PATIENCE.recovery : PATIENCE.answer)) break;
    if (found?.status !== "ready") continue;
    const { port } = found;
    const attach = () =>
      connect({ ...cluster.runtime, port, database: DATABASE }, `SELECT pg_advisory_lock_shared(${ATTACHED})`);
    try {
      return await attach().catch(async (error: unknown) => {
        if (!["28P01", "3D000"].includes(codeOf(error) ?? "")) throw error;
        await furnish(cluster, port);
        return attach();
      });
    } catch (error) {
      if (codeOf(error) === "28P01") return "password";
      if (error instanceof DatabaseError && !error.code?.startsWith("57P")) throw error;
    }
  }
  return "silent";
}

/** Attaches to the server, after starting or replacing it if necessary; requires the lock. */
async function reachServer(cluster: Cluster): Promise<Client> {
  const { data } = cluster;
  for (const start = Date.now(); Date.now() - start < PATIENCE.attempts; await sleep(100)) {
    const found = await readPostmaster(data);
    if (found && (await isServerOf(found.pid, data))) {
      const answer = await knock(cluster, found.pid);
      if (answer instanceof Client) return answer;
      await stopServer(data, found.pid);
      if (answer === "password") await resetPassword(cluster);
    } else {
      // Postgres removes a dead process's file itself, but trusts any live one.
      if (!found || isAlive(found.pid)) await rm(join(data, "postmaster.pid"), { force: true });
      const started = await startServer(cluster, found?.port);
      if (!started && Date.now() - start > PATIENCE.orphans) await stopOrphans(data);
    }
  }
  throw await failure(cluster, "did not start");
}

/** Detaches from the server, and stops it if no other process is attached; requires the lock. */
async function leaveServer({ data }: Cluster, client: Client): Promise<void> {
  client.ref();
  const ask = async () => {
    await client.query(`SELECT pg_advisory_unlock_shared(${ATTACHED})`);
    return client.query<{ last: boolean }>(`SELECT pg_try_advisory_lock(${ATTACHED}) AS last`);
  };
  const { rows } = await ask().finally(() => {
    client.end().catch(() => undefined);
    client.unref();
  });
  // We hold the lock, so no process can have attached since.
  const found = await readPostmaster(data);
  if (rows[0]?.last && found) await stopServer(data, found.pid);
}

function explain(dataDir: string, error: unknown): StartError {
  if (error instanceof StartError) return error;
  const denied = ["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "");
  const advice = denied ? " Give the folder to the user that runs the service, or choose another." : "";
  const reason = error instanceof Error ? error.message : String(error);
  return new StartError(`Cannot use the embedded PostgreSQL in ${dataDir}: ${reason}.${advice}`, { cause: error });
}

/**
 * Attaches this process to the PostgreSQL of a data folder, which is created, started, repaired or shared as needed.
 * If the server dies while attached, it is restarted in the background, at the same URL if its port is still free.
 * Throws StartError.
 */
export async function attachEmbedded(dataDir: string): Promise<EmbeddedDatabase> {
  return withCluster(dataDir, async (cluster) => {
    await createCluster(cluster);
    await checkVersion(cluster);
    return hold(cluster, await reachServer(cluster));
  });
}

async function withCluster<T>(dataDir: string, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const home = await realpath(dataDir);
    return await oneAtATime(home, PATIENCE.turn, async () => work(await openCluster(home)));
  } catch (error) {
    throw explain(dataDir, error);
  }
}

/**
 * Does the work on a data folder whose server does not run, and keeps others from starting it until the end.
 * Throws StartError when a process is attached.
 */
export async function withStoppedCluster<T>(dataDir: string, work: (cluster: Cluster) => Promise<T>): Promise<T> {
  return withCluster(dataDir, async (cluster) => {
    const found = await readPostmaster(cluster.data);
    if (found && (await isServerOf(found.pid, cluster.data))) {
      const answer = await knock(cluster, found.pid);
      if (answer instanceof Client) await leaveServer(cluster, answer);
      if (await isServerOf(found.pid, cluster.data)) {
        throw new StartError(`The database in ${cluster.data} is in use. Stop the service and its commands first.`);
      }
    }
    return work(cluster);
  });
}

/** The superuser's URL of the server that runs in a data folder. */
export async function runningSuperuserUrl(dataDir: string): Promise<string> {
  const found = await readPostmaster(join(dataDir, "postgres"));
  if (!found) throw new StartError(`No PostgreSQL runs in ${dataDir}.`);
  return urlFor({ name: SUPERUSER, password: await readPassword(dataDir) }, found.port);
}

function urlFor({ name, password }: PgRole, port: number): string {
  return `postgresql://${name}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
}

/** The superuser's URL of an attached database. */
export async function superuserUrl(dataDir: string, url: string): Promise<string> {
  return urlFor({ name: SUPERUSER, password: await readPassword(dataDir) }, Number(new URL(url).port));
}

function hold(cluster: Cluster, first: Client): EmbeddedDatabase {
  let client = first;
  let released: Promise<void> | undefined;

  const watch = (next: Client) => {
    client = next;
    client.unref();
    client.once("end", () => void regain());
  };
  // Only while its data exists: data removed under a running service must not be replaced by an empty database.
  const regain = async () => {
    for (; !released; await sleep(PATIENCE.pace, undefined, { ref: false })) {
      const regained = await oneAtATime(cluster.home, PATIENCE.turn, async () => {
        await checkVersion(cluster);
        if (!released) watch(await reachServer(cluster));
      }).then(
        () => true,
        () => false,
      );
      if (regained) return;
    }
  };
  watch(first);

  return {
    url: urlFor(cluster.runtime, first.port),
    location: cluster.data,
    release() {
      const leave = () => leaveServer(cluster, client);
      released ??= oneAtATime(cluster.home, PATIENCE.release, leave).catch(() => undefined);
      return released;
    },
  };
}
