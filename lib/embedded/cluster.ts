import { type ChildProcess, spawn } from "node:child_process";
import { createHash, createHmac, randomBytes, randomInt } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { escapeLiteral } from "pg";
import { syncFolder, writeDurably } from "@/lib/embedded/durable-file";
import { StartError } from "@/lib/errors";
import type { PgRole } from "@/lib/migrations/roles";
import { environment, except, findAccount, findPrograms, type Programs, run, type UnixUser, until } from "./process";

/** Complete restored data, about to replace the current data. */
const RESTORED = "postgres.restored";

/** Runs Postgres when we are root. */
const SYSTEM_USER = "postgres";
/** The superuser; its password is in the folder. */
export const SUPERUSER = "postgres";
const RUNTIME = "user_groups_runtime";

/** A folder with one PostgreSQL's data, log and password, and how to run it. */
export interface Cluster {
  home: string;
  data: string;
  log: string;
  programs: Programs;
  account: UnixUser | undefined;
  /** the role that serves, and stays attached */
  runtime: PgRole;
  /** reads the superuser's password, which is not kept in memory */
  readPassword(): Promise<string>;
}

const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // For a dozen instances or commands that attach to it.
  max_connections: "200",
  // For a million groups and their indexes; unused memory is never touched.
  shared_buffers: "512MB",
  fsync: "on",
  synchronous_commit: "on",
  cluster_name: "user-group-service",
  log_min_messages: "warning",
  log_checkpoints: "off",
  log_statement: "none",
  log_min_error_statement: "panic",
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
  // An error's DETAIL quotes the row's values.
  log_error_verbosity: "terse",
};

// Passed as arguments, so that they apply to clusters of older releases too.
const flagsOf = (settings: Record<string, string>) =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

interface Launch {
  program: string;
  folder: string;
  args: (folder: string) => string[];
  input?: string;
}

async function launch(cluster: Cluster, { program, folder, args, input }: Launch): Promise<ChildProcess> {
  const log = await open(cluster.log, "a", 0o600);
  // Root passes the folder as an open handle, so that the account needs no access to its parents.
  const handle = cluster.account && process.platform === "linux" ? await open(folder) : undefined;
  try {
    const child = spawn(program, args(handle ? "/proc/self/fd/3" : folder), {
      ...cluster.account,
      cwd: "/",
      env: environment,
      // Its own session: Ctrl-C is for the service, which drains before it stops the database.
      detached: true,
      stdio: [input === undefined ? "ignore" : "pipe", log.fd, log.fd, ...(handle ? [handle.fd] : [])],
    });
    child.stdin?.on("error", () => undefined).end(input);
    await once(child, "spawn");
    return child;
  } finally {
    await Promise.all([log.close(), handle?.close()]);
  }
}

/** An error that quotes the end of the log. */
export async function failure(cluster: Cluster, what: string): Promise<StartError> {
  const lines = (await readFile(cluster.log, "utf8")).trimEnd().split("\n").slice(-5).join("\n");
  return new StartError(`The embedded PostgreSQL ${what}. The end of ${cluster.log}:\n${lines}`);
}

async function runToEnd(cluster: Cluster, what: Launch): Promise<void> {
  const child = await launch(cluster, what);
  if (!hasEnded(child)) await once(child, "exit");
  if (child.exitCode !== 0) throw await failure(cluster, `could not be set up (${what.program})`);
}

const exists = async (path: string) => Boolean(await stat(path).catch(except("ENOENT")));

export async function readPassword(home: string): Promise<string> {
  const path = join(home, "postgres-password");
  if (!(await exists(path))) await writeDurably(path, `${randomBytes(24).toString("base64url")}\n`);
  await chmod(path, 0o600);
  return (await readFile(path, "utf8")).trim();
}

/** The owner of the data runs Postgres: a restored or once unprivileged folder keeps working as root. */
async function accountFor(data: string): Promise<UnixUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const present = (await exists(data)) ? await stat(data) : undefined;
  if (present && present.uid !== 0) return { uid: present.uid, gid: present.gid };
  const account = await findAccount(SYSTEM_USER);
  if (present) await run("chown", ["-R", `${account.uid}:${account.gid}`, data], { env: environment });
  return account;
}

/** Finds what a cluster in `home` needs, without creating it. Throws StartError when something is missing. */
export async function openCluster(home: string): Promise<Cluster> {
  const data = join(home, "postgres");
  if ((await exists(data)) && !(await exists(join(data, "PG_VERSION"))) && (await readdir(data)).length > 0) {
    throw new StartError(`${data} contains files that are not PostgreSQL data. Move them away, then start again.`);
  }
  const account = await accountFor(data);
  const programs = await findPrograms(account ? "/var/cache/user-group-service" : home, account);
  const log = join(home, "postgres.log");
  // Derived from the superuser's, irreversibly: the folder holds one secret of the database.
  const derived = createHmac("sha256", await readPassword(home)).update(RUNTIME);
  const runtime = { name: RUNTIME, password: derived.digest("base64url") };
  return { home, data, log, programs, account, runtime, readPassword: () => readPassword(home) };
}

/** Creates the cluster in a draft folder and moves it into place, unless one exists. */
export async function createCluster(cluster: Cluster): Promise<void> {
  const { home, data, programs } = cluster;
  await finishRestore(cluster);
  const password = await cluster.readPassword();
  await removeDrafts(home);
  if (await exists(join(data, "PG_VERSION"))) return;
  const draft = await makeDraft(cluster);
  // PostgreSQL's own C.UTF-8: unlike C it knows the case of every letter, so that a search for "é" finds "É",
  // and unlike the system's locales it never changes under an index.
  const locale = ["-E", "UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  // Without a terminal the prompt reads stdin: the password is in no file or argument.
  const login = ["-U", SUPERUSER, "-A", "scram-sha-256", "--pwprompt"];
  await runToEnd(cluster, {
    program: programs.initdb,
    folder: draft,
    args: (folder) => ["-D", folder, ...login, "--no-instructions", ...locale],
    input: `${password}\n${password}\n`,
  });
  await rename(draft, data);
  await syncFolder(home);
}

/**
 * Removes the drafts of killed processes: an initdb or a server that still writes there ends once its folder is gone.
 */
async function removeDrafts(home: string) {
  const drafts = (await readdir(home)).filter((name) => name.startsWith("postgres.new-"));
  const persistently = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };
  for (const name of drafts) await rm(join(home, name), persistently).catch(() => undefined);
}

/** Creates a folder for incomplete data. */
export async function makeDraft({ home, account }: Cluster): Promise<string> {
  await removeDrafts(home);
  const draft = join(home, `postgres.new-${process.pid}-${Date.now()}`);
  await mkdir(draft, { mode: 0o700 });
  if (account) await chown(draft, account.uid, account.gid);
  return draft;
}

/**
 * Replaces the data with restored data, in two renames; returns where the replaced data are. If the process is killed
 * between the renames, the next start carries out the second.
 */
export async function replaceData(cluster: Cluster, draft: string): Promise<string | undefined> {
  const { home, data } = cluster;
  const restored = join(home, RESTORED);
  await rename(draft, restored);
  await syncFolder(home);
  const replaced = `${data}.replaced-${new Date().toISOString().replaceAll(":", "-")}`;
  const hadData = await exists(data);
  if (hadData) await rename(data, replaced);
  await syncFolder(home);
  await finishRestore(cluster);
  return hadData ? replaced : undefined;
}

/** Finishes a restore that was killed between its renames; drops one that was killed earlier and changed nothing. */
export async function finishRestore({ home, data }: Cluster) {
  const restored = join(home, RESTORED);
  if (!(await exists(restored))) return;
  if (await exists(join(data, "PG_VERSION"))) await rm(restored, { recursive: true });
  else await rename(restored, data);
  await syncFolder(home);
}

/** Throws StartError when another major version created the data. */
export async function checkVersion({ data, programs }: Cluster): Promise<void> {
  const version = (await readFile(join(data, "PG_VERSION"), "utf8")).trim();
  if (version === String(programs.major)) return;
  throw new StartError(
    `${data} is PostgreSQL ${version} data, and this release includes PostgreSQL ${programs.major}. ` +
      "Dump it with the release that created it " +
      "(pg_dump), move the folder away, start, and restore the dump; or set DATABASE_URL to your own PostgreSQL.",
  );
}

/** Reads postmaster.pid; undefined when it is missing or invalid. */
export async function readPostmaster(data: string): Promise<{ pid: number; port: number; status: string } | undefined> {
  const lines = (await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return pid > 1 ? { pid, port, status: lines[7]?.trim() ?? "" } : undefined;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ port, host: "127.0.0.1", exclusive: true });
  const free = await once(server, "listening").then(
    () => true,
    () => false,
  );
  server.close();
  return free;
}

/** Below the system's range for outgoing connections, and if possible the same at every start: clients know it. */
async function choosePort(data: string, lastPort = 0): Promise<number> {
  const usual = 20_000 + (createHash("sha256").update(data).digest().readUInt16BE() % 12_768);
  const others = Array.from({ length: 30 }, () => randomInt(20_000, 32_768));
  for (const port of [lastPort, usual, ...others]) {
    if (port > 1023 && port < 65_536 && (await isFree(port))) return port;
  }
  throw new StartError("Cannot listen on any port of 127.0.0.1. Allow it, or set DATABASE_URL to your own PostgreSQL.");
}

/**
 * Starts a server, which may still be in recovery afterwards; false when a retry may succeed.
 * Otherwise throws StartError with the end of the log.
 */
export async function startServer(cluster: Cluster, lastPort: number | undefined): Promise<boolean> {
  const before = (await exists(cluster.log)) ? (await stat(cluster.log)).size : 0;
  const port = await choosePort(cluster.data, lastPort);
  const child = await launch(cluster, {
    program: cluster.programs.postgres,
    folder: cluster.data,
    args: (folder) => ["-D", folder, "-p", String(port), ...flagsOf(SETTINGS)],
  });
  child.unref();
  const isListening = async () => {
    const found = await readPostmaster(cluster.data);
    return found?.pid === child.pid && found?.status !== "";
  };
  const settled = await until(async () => hasEnded(child) || (await isListening()), 60_000);
  if (settled && !hasEnded(child)) return true;
  child.kill("SIGKILL");
  const said = (await readFile(cluster.log)).subarray(before).toString();
  if (/could not (bind|create any TCP)|already exists|pre-existing shared memory/.test(said)) return false;
  throw await failure(cluster, "did not start");
}

/** Sets the superuser's password to the file's, while no server runs. */
export async function resetPassword(cluster: Cluster): Promise<void> {
  await runToEnd(cluster, {
    program: cluster.programs.postgres,
    folder: cluster.data,
    args: (folder) => ["--single", ...flagsOf(SETTINGS), "-D", folder, "postgres"],
    input: `ALTER ROLE ${SUPERUSER} PASSWORD ${escapeLiteral(await cluster.readPassword())};\n`,
  });
}
