import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { provisionApiToken } from "@/lib/api-tokens/service";
import { bindAccounts } from "@/lib/auth/bind-accounts";
import { env, forgetOwnerUrl, formerSettings, hideOwnerUrl } from "@/lib/config/env";
import { secretKeys } from "@/lib/crypto/keyring";
import { isStandby } from "@/lib/db/failures";
import { StartError } from "@/lib/errors";
import { createFirstOwner } from "@/lib/members/service";
import { explainStart, startBeingReady } from "@/lib/operations/health";
import { openMetrics } from "@/lib/operations/metrics";
import { exposition } from "@/lib/operations/prometheus";
import { DatabaseWatch } from "@/lib/process/database-watch";
import { DRAIN_MS, finishServing } from "@/lib/process/finish-serving";
import { beginWork, startInstanceTasks, startProcessTasks } from "@/lib/process/jobs";
import { listen } from "@/lib/process/listen";
import { isAwayAgain, isPassing, type OpenDatabase, openDatabase, printUnreachable } from "@/lib/process/open-database";
import { recordAddress } from "@/lib/process/running-address";
import { takeConfiguredKey } from "@/lib/process/secret-key";
import { openAll, openApi, type RouteSets } from "@/lib/process/servers";
import { type PagesProcess, startPages } from "@/lib/process/supervisor";
import { feedWatchdog } from "@/lib/process/watchdog";
import { SERVICE_START, welcome } from "@/lib/process/welcome";
import { meter } from "@/lib/telemetry/current";
import { flushLog, log, printNotice } from "@/lib/telemetry/log";

/** Time limit of the whole stop, in milliseconds, even if the database hangs. */
const STOP_MS = 9_700;
const SAME_SIGNAL_MS = 1_000;

const isDev = () => env().NODE_ENV === "development";
let server: Server | undefined;
let pages: PagesProcess | undefined;
let socketPath: string | undefined;
let database: OpenDatabase | undefined;
let opening: Promise<void> = Promise.resolve();
const watch = new DatabaseWatch({
  onFailover: () => pages?.order("leave sessions"),
  onWork: (due) => (isDev() ? beginWork(due) : pages?.order({ work: due })),
});
const stopping = new AbortController();
let stoppedAt: number | undefined;

/** Starts the service: opens the database, runs `script` again for the pages process, and answers the API. */
export async function startService(script: string, routes: RouteSets) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  hideOwnerUrl();
  const settings = formerSettings();
  if (settings.length > 0) log().warn({ settings }, "settings of earlier versions have no effect: remove them");
  const { DATABASE_URL, HOST, PORT } = env();
  if (DATABASE_URL) takeConfiguredKey();
  await openMetrics("api", metricsOfAll);
  if (!isDev()) socketPath = await makeSocketPath();
  // Probes are answered during migrations; a failure is handled below.
  opening = openWhenPossible();
  opening.catch(() => undefined);
  server = socketPath ? openApi(routes, socketPath) : await openAll(routes);
  const port = await listen(server, { host: HOST, port: PORT });
  log().info({ host: HOST, port }, "listening");
  // Later than the API: it takes a processor for a second.
  if (socketPath && stoppedAt === undefined) pages = startPages(script, socketPath);
  feedWatchdog(server);
  await opening;
  if (stoppedAt !== undefined || !database) return;
  provide(database);
  startBeingReady();
  const other = await recordAddress(port);
  // The welcome contains a link to a page.
  await pages?.listening;
  await welcome(port, database);
  if (other && database.embedded) printNotice(`\nThe service at ${other} uses the same data.`);
}

async function metricsOfAll(): Promise<string> {
  return exposition(await Promise.all([meter()?.counts() ?? [], pages?.counts() ?? []]));
}

/** Divides DATABASE_POOL_SIZE between the two processes. */
function shares() {
  const all = env().DATABASE_POOL_SIZE;
  const ofPages = isDev() ? 0 : Math.max(1, Math.floor(all / 4));
  return { ofFirst: all - ofPages, ofPages };
}

/** Sends the pages process its provision. */
function provide({ url }: OpenDatabase) {
  const keys = secretKeys().map((key) => key?.toString("base64") ?? null);
  pages?.provide({ databaseUrl: url, keys, connections: shares().ofPages });
}

/** Opens the database; retries while it is unavailable, with the service already listening and answering 503. */
async function openWhenPossible() {
  for (let attempt = 1; !stopping.signal.aborted; attempt++) {
    try {
      const onMigrating = () => explainStart("migrating");
      database ??= await openDatabase({ connections: shares().ofFirst, onMigrating, signal: stopping.signal });
      forgetOwnerUrl();
      const { API_TOKEN, API_TOKEN_ENVIRONMENT, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = env();
      if (API_TOKEN && !(await provisionApiToken(API_TOKEN, API_TOKEN_ENVIRONMENT, SERVICE_START)))
        printNotice("The token in API_TOKEN has expired. Set it to a new token.");
      if (email && password) await createFirstOwner({ email, password }, SERVICE_START);
      await bindAccounts();
      break;
    } catch (error) {
      const isAwayNow = database ? isAwayAgain(error) : isPassing(error) && env().DATABASE_URL;
      if (!isAwayNow) throw error;
      explainStart(isStandby(error) ? "standby" : "away");
      if (attempt === 1) printUnreachable(error);
      await sleep(1_000);
    }
  }
  startProcessTasks();
  if (isDev()) startInstanceTasks();
  if (database) await watch.start(database.url);
}

/** Finishes running requests, then exits within 10 s; a second signal exits without finishing. */
async function stop(signal: NodeJS.Signals) {
  if (stoppedAt !== undefined) {
    // npm forwards the Ctrl-C that the terminal has already sent to both: the repetition does not count.
    if (performance.now() - stoppedAt < SAME_SIGNAL_MS) return;
    server?.closeAllConnections();
    return;
  }
  stoppedAt = performance.now();
  stopping.abort();
  setTimeout(() => end(1), STOP_MS).unref();
  log().info({ signal }, "stopping");
  // Members' calls may wait for events in the pages process, which would hold up the drain.
  pages?.order("stop waiting");
  await finishServing(server, isDev() ? 0 : DRAIN_MS);
  await pages?.stop();
  await closeDatabase();
  end(0);
}

/** Closes the database, even one just being opened: no started server stays behind. */
async function closeDatabase() {
  await opening.catch(() => undefined);
  await watch.stop();
  await database?.close();
}

/** Ends the process. */
export function end(code: number): never {
  try {
    if (socketPath) rmSync(path.dirname(socketPath), { recursive: true, force: true });
    flushLog();
  } finally {
    process.exit(code);
  }
}

/** Ends a process that cannot continue, with an error message; stops the database it started. */
export function fail(error: unknown) {
  // Errors during a stop are not failures.
  if (stoppedAt !== undefined) return;
  printNotice(error instanceof StartError ? error.message : String(error instanceof Error ? error.stack : error));
  // A running migration would outlast the wait, and leave the embedded server running.
  stopping.abort();
  setTimeout(() => end(1), STOP_MS).unref();
  closeDatabase()
    .catch(() => undefined)
    .finally(() => end(1));
}

/** A new socket path for the pages process, inaccessible to other users of the machine. */
async function makeSocketPath(): Promise<string> {
  // systemd gives us this folder, and deletes old files in the temporary one.
  const { RUNTIME_DIRECTORY = tmpdir() } = process.env;
  const folder = await mkdtemp(path.join(RUNTIME_DIRECTORY, `user-groups-${process.pid}-`)).catch((cause) => {
    throw new StartError(`Cannot write to ${RUNTIME_DIRECTORY}. Make it writable for this user.`, { cause });
  });
  return path.join(folder, "pages");
}
