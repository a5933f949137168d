import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { format } from "node:util";
import next from "next";
import * as getOrCreate from "@/app/api/user/get-or-create/route";
import * as user from "@/app/api/user/route";
import * as healthz from "@/app/healthz/route";
import * as readyz from "@/app/readyz/route";
import { recordLastUse } from "@/lib/api-tokens/caller";
import { createApiToken, listApiTokens, provisionApiToken } from "@/lib/api-tokens/service";
import { env } from "@/lib/env";
import { listEnvironments } from "@/lib/environments/service";
import { StartError } from "@/lib/errors";
import { purgeDeletedGroups } from "@/lib/groups/deletion";
import { forgetIdempotencyKeys } from "@/lib/groups/rotation";
import { startBeingReady, stopBeingReady } from "@/lib/http/health";
import { answerClientError, drain, frontDoor, type RouteModule, refuseConnect, watchSilence } from "@/lib/http/node";
import { replayUpgrades } from "@/lib/http/upgrade";
import { flushLog, log } from "@/lib/log";
import { linkUrl, makeSetUpLink, purgeExpired } from "@/lib/members/link";
import { createFirstOwner } from "@/lib/members/service";
import { isPassing, type OpenDatabase, openDatabase } from "@/lib/open";
import { localUrl, publicUrl } from "@/lib/public-url";

const routes = new Map<string, RouteModule>([
  ["/api/user", { ...user }],
  ["/api/user/get-or-create", { ...getOrCreate }],
  ["/healthz", { ...healthz }],
  ["/readyz", { ...readyz }],
]);

const OPERATOR = { actorType: "operator", actorId: null, actorName: "service start", requestId: null } as const;
/** How long requests under way may take once the service was told to stop, in milliseconds. */
const DRAIN_MS = 8_000;
/** How long all of it may take, a database that does not let go included. */
const STOP_MS = 9_700;
const SAME_SIGNAL_MS = 1_000;

const server = createServer({
  joinDuplicateHeaders: true,
  // The front door says so in our own words.
  requireHostHeader: false,
  headersTimeout: 8_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 500,
  // Longer than the idle time of the usual proxies, so that none reuses a connection just as it closes.
  keepAliveTimeout: 75_000,
});

let database: OpenDatabase | undefined;
let opening: Promise<void> = Promise.resolve();
let stoppedAt: number | undefined;

async function start() {
  const { HOST, PORT, NODE_ENV } = env();
  const dev = NODE_ENV === "development";
  if (!dev) logConsole();
  // Next listens for upgrades, which takes those from Node that nobody wants (Java's HttpClient offers h2c with every
  // request): it listens on a server that gets none but what we hand on.
  const forNext = createServer();
  const app = next({ dev, hostname: HOST, port: PORT, httpServer: forNext });
  const listener = frontDoor({ routes, next: app.getRequestHandler() });
  server.on("request", listener);
  server.on("checkContinue", listener);
  server.on("checkExpectation", listener);
  server.on("clientError", answerClientError);
  server.on("connect", refuseConnect);
  server.on("connection", watchSilence);
  const away = new Promise<void>((resolve) => {
    opening = openWhenPossible(resolve);
  });
  await Promise.all([app.prepare(), Promise.race([opening, away])]);
  if (dev) replayUpgrades(server, forNext);
  const [port] = await Promise.all([listen(HOST, PORT), opening]);
  if (stoppedAt === undefined) await welcome(port);
}

/** Turns what Next prints into lines of the log, so that stdout is nothing else. */
function logConsole() {
  for (const [method, level] of [
    ["log", "debug"],
    ["info", "debug"],
    ["warn", "warn"],
    ["error", "error"],
  ] as const) {
    const plain = (word: unknown) => (word instanceof Error ? word.stack : word);
    console[method] = (...words) => log()[level]({ from: "next" }, format(...words.map(plain)));
  }
}

async function listen(host: string, wanted: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const problem =
        error.code === "EADDRINUSE"
          ? "is taken: set PORT to a free one"
          : `cannot be listened on (${error.code}): set HOST to an address of this machine, PORT to one it may use`;
      reject(new StartError(`Port ${wanted} of ${host} ${problem}.`));
    });
    server.listen(wanted, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  log().info({ host, port }, "listening");
  return port;
}

/** Opens the database; one that is away is tried again, while the service already listens and answers 503. */
async function openWhenPossible(isAway: () => void) {
  for (let attempt = 1; stoppedAt === undefined; attempt++) {
    try {
      database ??= await openDatabase();
      const { API_TOKEN, API_TOKEN_ENVIRONMENT, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = env();
      if (API_TOKEN) await provisionApiToken(API_TOKEN, API_TOKEN_ENVIRONMENT, OPERATOR);
      if (email && password) await createFirstOwner({ email, password }, OPERATOR);
      break;
    } catch (error) {
      if (!isPassing(error) || !env().DATABASE_URL) throw error;
      if (attempt === 1) {
        log().warn({ err: error }, "the database cannot be reached");
        tell(
          "The database of DATABASE_URL cannot be reached: trying again every second, and answering 503 until then.",
        );
      }
      isAway();
      await sleep(1_000);
    }
  }
  startBeingReady();
  every(10_000, recordLastUse);
  every(30_000, purgeDeletedGroups);
  every(3_600_000, forgetIdempotencyKeys);
  every(3_600_000, purgeExpired);
}

function every(milliseconds: number, work: () => Promise<void>) {
  const run = () => work().catch((err: unknown) => log().warn({ err }, "a periodic task failed: it runs again later"));
  setInterval(run, milliseconds).unref();
}

async function welcome(port: number) {
  const url = localUrl(port);
  const lines = [`User groups are served at ${url}`, `Data: ${database?.location}`];
  // Asked of the tokens rather than of the database: it may have been made by a start that ended before it came here.
  const testing = (await listEnvironments()).find(({ slug }) => slug === "testing");
  if (database?.embedded && testing && (await listApiTokens()).length === 0) {
    const fields = { name: "first start", access: "write", expiresAt: null } as const;
    const { token } = await createApiToken(testing, fields, OPERATOR);
    lines.push(
      "",
      "This is the first start. Here is an API token for the Testing environment; it is not shown again. Try it:",
      "",
      `curl -X GET ${url}/api/user -H 'Authorization: Token ${token}' -H 'Content-Type: application/json' \\`,
      `  -d '{"user_group_id":"example_1","name":"Example 1","mapping":{"40":"213"},"properties":{"plan":"pro"}}'`,
      "",
    );
  } else {
    lines.push("Make an API token: npm run -s api-token -- create --environment testing --name NAME");
  }
  if (env().API_TOKEN)
    lines.push(`The token in API_TOKEN is valid in the environment "${env().API_TOKEN_ENVIRONMENT}".`);
  const token = await makeSetUpLink(OPERATOR).catch((err: unknown) => {
    // The database may be gone again, which ends no service: its next start prints the link.
    log().warn({ err }, "no set-up link could be made");
    return undefined;
  });
  if (token) {
    lines.push(
      "",
      "Nobody can sign in to the dashboard yet. Become its first owner here, within 24 hours:",
      "",
      linkUrl(publicUrl(port), token),
      "",
      "This works once. Until somebody has, each start prints a new link, and the one before it stops working.",
    );
  }
  tell(lines.join("\n"));
}

/** Says something to the person at the terminal, apart from the log: it may hold a token. */
function tell(text: string) {
  process.stderr.write(`${text}\n`);
}

/** Answers what is under way, then ends: within 10 s, and without those answers when told twice. */
async function stop(signal: NodeJS.Signals) {
  if (stoppedAt !== undefined) {
    // npm passes on the Ctrl-C that the terminal sent to both of us: that one does not count.
    if (performance.now() - stoppedAt > SAME_SIGNAL_MS) server.closeAllConnections();
    return;
  }
  stoppedAt = performance.now();
  setTimeout(() => end(1), STOP_MS).unref();
  log().info({ signal }, "stopping");
  stopBeingReady();
  const closed = new Promise<void>((resolve) => void drain(server, resolve));
  await Promise.race([closed, sleep(env().NODE_ENV === "development" ? 0 : DRAIN_MS)]);
  server.closeAllConnections();
  await recordLastUse().catch((err: unknown) => log().warn({ err }, "the last use of API tokens was not recorded"));
  await closeDatabase();
  end(0);
}

/** Closes the database, which is perhaps just being opened: a server that was started is not left behind. */
async function closeDatabase() {
  await opening.catch(() => undefined);
  await database?.close();
}

function end(code: number): never {
  try {
    flushLog();
  } finally {
    process.exit(code);
  }
}

function fail(error: unknown) {
  tell(error instanceof StartError ? error.message : String(error instanceof Error ? error.stack : error));
  setTimeout(() => end(1), STOP_MS).unref();
  closeDatabase()
    .catch(() => undefined)
    .finally(() => end(1));
}

process.on("SIGINT", stop);
process.on("SIGTERM", stop);
start().catch(fail);
