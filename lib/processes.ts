import { type ChildProcess, fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "@/lib/errors";
import { log } from "@/lib/log";

/** What a process needs to serve: its share of the connections, and the secret keys in base64. */
interface Provision {
  databaseUrl: string;
  connections: number;
  current: string;
  previous: string | undefined;
}

/**
 * What the first process tells those it has started, and what they tell it. Each asks for its provision before it
 * listens, and may hear that there is none yet: one that replaces another must not turn away what that one would have answered.
 */
type Order = { provision: Provision | undefined } | "stop";
type Report = "obeying" | "listening";

/** Processes of the service that are kept running. */
export interface Crew {
  /** resolves once each of them listens; rejects when one ends before it does */
  listening: Promise<unknown>;
  /** tells them, and whoever replaces one of them, what they need to serve */
  provide(provision: Provision): void;
  /** lets them answer what is under way; resolves when they have ended */
  stop(): Promise<void>;
}

/** A process that ends sooner than this is not replaced at once, so that one that cannot start costs little. */
const SHORT_LIFE_MS = 5_000;
const PAUSE_MS = 1_000;

/** A new place for the process of the pages to listen at, which no other user of the machine can reach. */
export function makeSocketPath(): string {
  if (process.platform === "win32") return `\\\\.\\pipe\\user-groups-${process.pid}`;
  return path.join(mkdtempSync(path.join(tmpdir(), "user-groups-")), "pages");
}

/** Removes what {@link makeSocketPath} made. */
export function removeSocketPath(socketPath: string) {
  if (process.platform !== "win32") rmSync(path.dirname(socketPath), { recursive: true, force: true });
}

/** Starts the process that serves the pages. */
export function startPages(script: string, socketPath: string): Crew {
  return keep(1, "pages", () => fork(script, ["pages", socketPath]));
}

/** Starts processes that serve the API, all behind one port: connections are dealt out to them in turn. */
export function startWorkers(count: number, script: string, socketPath: string): Crew {
  cluster.setupPrimary({ exec: script, args: ["worker", socketPath] });
  return keep(count, "worker", () => cluster.fork().process);
}

function keep(count: number, role: string, start: () => ChildProcess): Crew {
  const running = new Set<ChildProcess>();
  let provision: Provision | undefined;
  let stopping = false;
  const startOne = (): Promise<void> => {
    const child = start();
    const startedAt = performance.now();
    running.add(child);
    child.once("exit", async (code, signal) => {
      running.delete(child);
      if (stopping) return;
      log().error({ role, pid: child.pid, code, signal }, "a process of the service has ended: it is replaced");
      if (performance.now() - startedAt < SHORT_LIFE_MS) await sleep(PAUSE_MS);
      // Its end is heard of as that of the first one was.
      if (!stopping) startOne().catch(() => undefined);
    });
    return new Promise((resolve, reject) => {
      child.on("message", (report: Report) => {
        if (report === "obeying") tell(child, { provision });
        else resolve();
      });
      child.once("exit", () => reject(new StartError("A process of the service ended before it could serve.")));
    });
  };
  return {
    listening: Promise.all(Array.from({ length: count }, startOne)),
    provide(given) {
      provision = given;
      for (const child of running) tell(child, { provision });
    },
    async stop() {
      stopping = true;
      const ended = [...running].map((child) => once(child, "exit"));
      for (const child of running) tell(child, "stop");
      await Promise.all(ended);
    },
  };
}

/** One that ends just now has no use for it, and its end is heard of elsewhere. */
function tell(child: ChildProcess, order: Order) {
  child.send(order, () => undefined);
}

interface Duties {
  provide(provision: Provision): void;
  stop(): void;
}

/**
 * Obeys the process that started this one, and ends with it. Signals are for that one alone: a terminal sends Ctrl-C to all.
 * Resolves with its first order.
 */
export async function obey({ provide, stop }: Duties) {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
  process.on("disconnect", () => process.exit(1));
  if (!process.connected) process.exit(1);
  process.on("message", (order: Order) => {
    if (order === "stop") stop();
    else if (order.provision) provide(order.provision);
  });
  report("obeying");
  await once(process, "message");
}

/** Tells the process that started this one that it can be sent requests. */
export function reportListening() {
  report("listening");
}

function report(what: Report) {
  process.send?.(what);
}
