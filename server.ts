import { existsSync, rmSync } from "node:fs";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { apiRoutes } from "@/app/api-routes";
import { provisionApiToken } from "@/lib/api-tokens/service";
import { CLIENT_ADDRESS, clientAddress } from "@/lib/auth/client-address";
import { env, forgetOwnerUrl, hideOwnerUrl } from "@/lib/config/env";
import { secretKeys, setKeys } from "@/lib/crypto/keyring";
import { closePool, isStandby, openPool } from "@/lib/db/pool";
import { stopPurging } from "@/lib/db/purge";
import { provideToPages, type Routes } from "@/lib/endpoint/routes";
import { StartError } from "@/lib/errors";
import { affordableConnections } from "@/lib/http/connections";
import { drain } from "@/lib/http/drain";
import { openNext } from "@/lib/http/next-pages";
import { openServer } from "@/lib/http/node";
import { proxyTo } from "@/lib/http/proxy";
import { replayUpgrades } from "@/lib/http/upgrade";
import { createFirstOwner } from "@/lib/members/service";
import { explainStart, type StartReason, startBeingReady, stopBeingReady } from "@/lib/operations/health";
import { exposition, type Part } from "@/lib/operations/prometheus";
import { keepShared, shareLast, startJobs } from "@/lib/process/jobs";
import { flushTraces, observe } from "@/lib/process/observe";
import { isAwayAgain, isPassing, type OpenDatabase, openDatabase, tellAway } from "@/lib/process/open-database";
import { recordAddress } from "@/lib/process/running-address";
import { takeConfiguredKey } from "@/lib/process/secret-key";
import {
  collectFromAll,
  keepHeapSmall,
  makeSocketPath,
  obey,
  type ProcessGroup,
  removeSocketPath,
  removeStaleSockets,
  reportListening,
  startPages,
  startWorkers,
} from "@/lib/process/supervisor";
import { SERVICE_START, welcome } from "@/lib/process/welcome";
import { flushLog, log, tell } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

// One program in three roles. The first process opens the database, starts the others and, unless there are workers,
// answers the API. Pages and what they call are another's: what Next puts around timers and promises slows down all that shares its process.

/** How long requests under way may take once the service was told to stop, in milliseconds. */
const DRAIN_MS = 8_000;
/** How long all of it may take, a database that does not let go included. */
const STOP_MS = 9_700;
const SAME_SIGNAL_MS = 1_000;

const isDev = () => env().NODE_ENV === "development";
let server: Server | undefined;
let pages: ProcessGroup | undefined;
let workers: ProcessGroup | undefined;
let socketPath: string | undefined;
let database: OpenDatabase | undefined;
let opening: Promise<void> = Promise.resolve();
const stopping = new AbortController();
let stoppedAt: number | undefined;

async function start() {
  hideOwnerUrl();
  const { HOST, PORT, WORKERS } = env();
  await observe(WORKERS > 1 && !isDev() ? "main" : "api", metricsOfAll);
  const script = import.meta.filename;
  if (!isDev()) {
    await removeStaleSockets();
    socketPath = makeSocketPath();
    pages = startPages({ script, socketPath, collect: metricsOfAll });
    // Asked for once everything else is ready.
    pages.listening.catch(() => undefined);
  }
  // A probe is answered while migrations run; a failure is heard of below.
  opening = openWhenPossible();
  opening.catch(() => undefined);
  let port = PORT;
  if (socketPath && WORKERS > 1) workers = startWorkers(WORKERS, { script, socketPath, collect: metricsOfAll });
  if (workers) await workers.listening;
  else {
    server = socketPath ? openApi(socketPath) : await openAll();
    port = await listen(server, { host: HOST, port: PORT });
  }
  log().info({ host: HOST, port, workers: workers && WORKERS }, "listening");
  await opening;
  if (stoppedAt !== undefined || !database) return;
  provide(database);
  await pages?.listening;
  startBeingReady();
  recordAddress(port);
  await welcome(port, database);
}

async function metricsOfAll(): Promise<string> {
  const [own = [], ofPages = [], ofWorkers = []] = await Promise.all([
    meter()?.counts(),
    pages?.counts(),
    workers?.counts(),
  ]);
  return exposition([own, ...ofPages, ...ofWorkers]);
}

/** Divides the connections among the processes: together they keep no more than DATABASE_POOL_SIZE. */
function shares() {
  const { DATABASE_POOL_SIZE: all, WORKERS } = env();
  if (isDev()) return { first: all, pages: 0, worker: 0 };
  const first = WORKERS > 1 ? 1 : 0;
  const pages = Math.max(1, Math.min(Math.floor(all / 4), all - WORKERS - first));
  const worker = Math.floor((all - first - pages) / WORKERS);
  return { first: first || worker, pages, worker };
}

/** Gives the other processes what they need to serve. */
function provide({ url }: OpenDatabase) {
  const [current, previous] = secretKeys().map((key) => key?.toString("base64"));
  const common = { databaseUrl: url, current: current ?? "", previous };
  pages?.provide({ ...common, connections: shares().pages });
  workers?.provide({ ...common, connections: shares().worker });
}

/** Answers the API, and passes on what is for the process of the pages. */
function openApi(socketPath: string): Server {
  const { MAX_CONNECTIONS, DATABASE_POOL_SIZE } = env();
  const affordable = affordableConnections(DATABASE_POOL_SIZE);
  const mostConnections = Math.min(MAX_CONNECTIONS, affordable);
  return openServer({
    routes: apiRoutes,
    rest: proxyTo(socketPath, affordable),
    isForRest: isOfBrowser,
    addressOf,
    mostConnections,
    isBehindProxy: env().TRUSTED_PROXIES > 0,
  });
}

/** Answers all that the API's process passes on. */
async function openPages(): Promise<Server> {
  return openServer({
    routes: await loadAllRoutes(),
    rest: (await openNext()).serve,
    addressOf: ({ headers }) => String(headers[CLIENT_ADDRESS]),
    // The API's process has counted them, and adds some.
    mostHeaders: Number.POSITIVE_INFINITY,
  });
}

const addressOf = (req: IncomingMessage) => clientAddress(req, env().TRUSTED_PROXIES);

/** Sessions are better-auth's, which the process of the pages has loaded. */
function isOfBrowser({ headers }: IncomingMessage): boolean {
  return headers.authorization === undefined && Boolean(headers.cookie && headers["x-environment"]);
}

/** Everything in one process, for development. */
async function openAll(): Promise<Server> {
  const next = await openNext();
  const server = openServer({ routes: await loadAllRoutes(), addressOf, rest: next.serve });
  replayUpgrades(server, next.server);
  return server;
}

async function loadAllRoutes(): Promise<Routes> {
  const { allRoutes } = await import("@/app/all-routes");
  provideToPages(allRoutes);
  return allRoutes;
}

/** What a process does that the first one has started. */
async function serveFor(part: Part, open: () => Server | Promise<Server>, where: Place) {
  await observe(part, collectFromAll);
  const ordered = obey({
    provide({ databaseUrl, connections, current, previous }) {
      openPool(databaseUrl, connections);
      setKeys(Buffer.from(current, "base64"), previous === undefined ? undefined : Buffer.from(previous, "base64"));
      startBeingReady();
      keepShared();
      if (part !== "pages") return;
      startJobs();
      void warmUp();
    },
    announceStart: explainStart,
    stop: () => {
      finish()
        .then(closePool)
        .then(() => end(0), fail);
    },
  });
  // Until the database is there it answers 503.
  if (env().DATABASE_URL) takeConfiguredKey();
  const opened = await open();
  server = opened;
  await ordered;
  await listen(opened, where);
  reportListening();
}

/** Makes ready what the first call of a session would have to wait for, on a busy machine for longer than a call may take. */
async function warmUp() {
  const { findSession } = await import("@/lib/auth/session");
  await findSession("");
}

type Place = { path: string } | { host: string; port: number };

async function listen(server: Server, where: Place): Promise<number> {
  // Left there by the one before it, if that was killed.
  if ("path" in where) rmSync(where.path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      if ("path" in where) {
        // Its folder goes with the process that started this one, which has said why it ended.
        if (!existsSync(dirname(where.path))) process.exit(1);
        return reject(error);
      }
      const { host, port } = where;
      const problem =
        error.code === "EADDRINUSE"
          ? "is taken: set PORT to a free one"
          : `cannot be listened on (${error.code}): set HOST to an address of this machine, PORT to one it may use`;
      reject(new StartError(`Port ${port} of ${host} ${problem}.`));
    });
    server.listen(where, resolve);
  });
  return "path" in where ? 0 : (server.address() as AddressInfo).port;
}

/** Opens the database; one that is away is tried again, while the service already listens and answers 503. */
async function openWhenPossible() {
  for (let attempt = 1; !stopping.signal.aborted; attempt++) {
    try {
      const { signal } = stopping;
      database ??= await openDatabase({
        connections: shares().first,
        onMigrating: () => announceStart("migrating"),
        signal,
      });
      forgetOwnerUrl();
      const { API_TOKEN, API_TOKEN_ENVIRONMENT, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = env();
      if (API_TOKEN) await provisionApiToken(API_TOKEN, API_TOKEN_ENVIRONMENT, SERVICE_START);
      if (email && password) await createFirstOwner({ email, password }, SERVICE_START);
      break;
    } catch (error) {
      const isAwayNow = database ? isAwayAgain(error) : isPassing(error) && env().DATABASE_URL;
      if (!isAwayNow) throw error;
      announceStart(isStandby(error) ? "standby" : "away");
      if (attempt === 1) tellAway(error);
      await sleep(1_000);
    }
  }
  keepShared();
  if (isDev()) startJobs();
}

/** Reports what the start waits for, here and in the workers. */
function announceStart(reason: StartReason) {
  explainStart(reason);
  workers?.announceStart(reason);
}

/** Answers what is under way, then ends: within 10 s, and without those answers when told twice. */
async function stop(signal: NodeJS.Signals) {
  if (stoppedAt !== undefined) {
    // npm passes on the Ctrl-C that the terminal sent to both of us: that one does not count.
    if (performance.now() - stoppedAt < SAME_SIGNAL_MS) return;
    if (workers) end(1);
    server?.closeAllConnections();
    return;
  }
  stoppedAt = performance.now();
  stopping.abort();
  setTimeout(() => end(1), STOP_MS).unref();
  log().info({ signal }, "stopping");
  await workers?.stop();
  await finish();
  await pages?.stop();
  await closeDatabase();
  end(0);
}

/** Answers what is under way in this process. */
async function finish() {
  stopBeingReady();
  stopPurging();
  const opened = server;
  if (opened) {
    const closed = new Promise<void>((resolve) => void drain(opened, resolve));
    await Promise.race([closed, sleep(isDev() ? 0 : DRAIN_MS)]);
    opened.closeAllConnections();
  }
  await flushTraces();
  await shareLast();
}

/** Closes the database, which is perhaps just being opened: a server that was started is not left behind. */
async function closeDatabase() {
  await opening.catch(() => undefined);
  await database?.close();
}

function end(code: number): never {
  try {
    if (socketPath) removeSocketPath(socketPath);
    flushLog();
  } finally {
    process.exit(code);
  }
}

function fail(error: unknown) {
  // What a start that was told to stop still meets is no failure.
  if (stoppedAt !== undefined) return;
  tell(error instanceof StartError ? error.message : String(error instanceof Error ? error.stack : error));
  // A migration under way would outlast the wait, and leave the embedded server running.
  stopping.abort();
  setTimeout(() => end(1), STOP_MS).unref();
  closeDatabase()
    .catch(() => undefined)
    .finally(() => end(1));
}

async function run() {
  const [role, path = ""] = process.argv.slice(2);
  keepHeapSmall();
  if (role === "pages") return serveFor("pages", openPages, { path });
  const { HOST: host, PORT: port } = env();
  if (role === "worker") return serveFor("api", () => openApi(path), { host, port });
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return start();
}

run().catch(fail);
