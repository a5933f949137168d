// `./user-groups demo`: the service with sample groups, and examples/embed next to it, in a temporary folder.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { UserGroupsClient } from "@user-groups/client";
import pg from "pg";
import { runCommand, withoutArguments } from "@/lib/cli/command";
import { VARIABLES } from "@/lib/config/env";
import { attachEmbedded, superuserUrl } from "@/lib/embedded/postgres";
import { StartError } from "@/lib/errors";
import { begin } from "../examples/embed/begin";

const USAGE = `Usage:  ./user-groups demo
Starts the service with made-up user groups, and a product that embeds dashboards from two renderers. Ctrl-C ends it and
deletes its data.`;
const HOST = "127.0.0.1";
const EMAIL = "demo@example.com";
const GROUPS = 200;
const READY_MS = 120_000;
const run = promisify(execFile);
const signalled = new AbortController();
const ending = once(signalled.signal, "abort");
/** Cleanups at the end of the demo, the last one first. */
const endings: (() => unknown)[] = [];

await runCommand({
  usage: USAGE,
  isApart: true,
  parse: withoutArguments(async () => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => signalled.abort());
    try {
      await demo();
    } catch (error) {
      if (!signalled.signal.aborted) throw error;
    } finally {
      for (const end of endings.reverse()) await end();
    }
    return "The demo has ended, and its data are deleted.\n";
  }),
});

async function demo() {
  const folder = await mkdtemp(path.join(tmpdir(), "user-groups-demo-"));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  const dataDir = path.join(folder, "data");
  const [service, product] = await Promise.all([freePort(3000), freePort(4000)]);
  const [sales, orders] = await Promise.all([freePort(4001), freePort(4002)]);
  const base = urlOf(service);
  const urls = { product: urlOf(product), sales: urlOf(sales), orders: urlOf(orders) };
  const password = randomBytes(9).toString("base64url");
  const own = { DATA_DIR: dataDir, HOST, PORT: String(service), PUBLIC_URL: base, LOG_LEVEL: "warn" };
  const env = { ...withoutSettings(), ...own, ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD: password };
  process.stdout.write("Starting …\n");
  const child = spawn(process.execPath, ["dist/start.js"], { env, stdio: ["ignore", "ignore", "pipe"] });
  const words: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => words.push(chunk));
  const ended = () => new StartError(`The service has ended:\n${Buffer.concat(words)}`);
  endings.push(() => stop(child));
  await ready(`${base}/readyz`, child, ended);

  const command = async (name: string, ...operands: string[]) =>
    (await run(process.execPath, [`dist/${name}.js`, ...operands], { env, signal: signalled.signal })).stdout.trim();
  await command("seed", "--groups", String(GROUPS));
  const clientFor = async (preset: string) =>
    new UserGroupsClient({
      baseUrl: base,
      apiToken: await command("api-token", "create", "--name", `demo-${preset}`, "--preset", preset),
    });
  const apps = await begin({
    clients: {
      backend: await clientFor("backend"),
      renderer: await clientFor("renderer"),
      settings: await clientFor("full"),
    },
    issuer: `${base}/e/testing`,
    database: await salesIn(dataDir),
    urls,
    expiresIn: 900,
    scripts: { page: await readScript("page"), dashboard: await readScript("dashboard") },
    signal: signalled.signal,
  });
  await listen(sales, apps.sales);
  await listen(orders, apps.orders);
  await listen(product, apps.product);
  process.stdout.write(`
Open ${urls.product}: a product with two customers, whose users see dashboards from two renderers.

Suspend a customer in the service's dashboard, ${base}/testing/groups?q=customer_,
and both renderers refuse it. Sign in as ${EMAIL} with the password ${password}.

Ctrl-C ends the demo and deletes its data.
`);
  await Promise.race([ending, once(child, "exit")]);
  if (!signalled.signal.aborted) throw ended();
}

/** This shell's environment with the service's settings blank, which keeps .env from setting them. */
function withoutSettings(): NodeJS.ProcessEnv {
  const blank = [...VARIABLES, "DATABASE_DIRECT_URL"].map((name) => [name, ""]);
  return { ...process.env, ...Object.fromEntries(blank), NODE_ENV: "production" };
}

/** The example's sales, in their own database next to the service's. */
async function salesIn(dataDir: string): Promise<pg.Pool> {
  const embedded = await attachEmbedded(dataDir);
  endings.push(() => embedded.release());
  const url = await superuserUrl(dataDir, embedded.url);
  const service = new pg.Client({ connectionString: url });
  await service.connect();
  await service.query("CREATE DATABASE sales").finally(() => service.end());
  const database = new pg.Pool({ connectionString: Object.assign(new URL(url), { pathname: "/sales" }).href });
  database.on("error", () => undefined);
  endings.push(() => database.end());
  await database.query(await readFile("dist/demo/sales.sql", "utf8"));
  return database;
}

function readScript(name: string): Promise<string> {
  return readFile(`dist/demo/${name}.js`, "utf8");
}

async function ready(url: string, child: ChildProcess, ended: () => Error) {
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(200, undefined, signalled)) {
    if (child.exitCode !== null) throw ended();
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new StartError("The service did not become ready within two minutes.");
}

/** The wanted port, or another free one if it is in use. */
async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  const listening = once(server, "listening").then(
    () => true,
    () => false,
  );
  server.listen(wanted, HOST);
  if (!(await listening)) return freePort(0);
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function urlOf(port: number): string {
  return `http://localhost:${port}`;
}

async function listen(port: number, app: { listen(port: number, host: string): Server }) {
  const server = app.listen(port, HOST);
  await once(server, "listening");
  endings.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
