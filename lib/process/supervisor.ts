import { type ChildProcess, fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { StartError } from "@/lib/errors";
import type { StartReason } from "@/lib/operations/health";
import { afterwards } from "@/lib/operations/prometheus";
import { BEAT_MS, type Order, type Provision, type Report } from "@/lib/process/orders";
import { log } from "@/lib/telemetry/log";
import { type Counts, meter } from "@/lib/telemetry/meter";

/** Processes of the service that are kept running. */
export interface ProcessGroup {
  /** resolves once each of them listens; rejects when one ends before it does */
  listening: Promise<unknown>;
  /** tells them, and whoever replaces one of them, what they need to serve */
  provide(provision: Provision): void;
  /** tells them what the start waits for */
  announceStart(reason: StartReason): void;
  /** what each has counted; of one that is late, or has ended, as much as is known */
  counts(): Promise<Counts[]>;
  /** lets them answer what is under way; resolves when they have ended */
  stop(): Promise<void>;
}

interface ProcessGroupOptions {
  script: string;
  socketPath: string;
  /** gives one that is asked for them the metrics of all */
  collect(): Promise<string>;
}

/** A process that ends sooner than this is not replaced at once, so that one that cannot start costs little. */
const SHORT_LIFE_MS = 5_000;
const PAUSE_MS = 1_000;
const COUNT_MS = 500;

/** Beats missed in a row until a process gets no more connections, and until it is killed: 2 s and 5 s. */
const BEATS_TO_SUSPEND = 4;
const BEATS_TO_KILL = 10;
/** How long a connection stays with a process that gets no more of them, before it is dealt to the next. */
const PASS_ON_MS = 10;

/**
 * Has the engine collect in full once the heap has grown by 30 percent, where it would let it double and more
 * (docs/decisions/020-set-up-v8-at-startup.md).
 */
export function keepHeapSmall() {
  setFlagsFromString("--heap-growing-percent=30");
}

/** Few look at pages at once, and exports leave much behind: a small space for what is new has it collected at once. */
const FRUGAL = ["--max-semi-space-size=4"];

/** Starts the process that serves the pages. */
export function startPages({ script, socketPath, collect }: ProcessGroupOptions): ProcessGroup {
  const execArgv = [...process.execArgv, ...FRUGAL];
  return keep(1, "pages", () => fork(script, ["pages", socketPath], { execArgv }), collect);
}

/** Starts processes that serve the API, all behind one port: connections are dealt out to them in turn. */
export function startWorkers(count: number, { script, socketPath, collect }: ProcessGroupOptions): ProcessGroup {
  cluster.setupPrimary({ exec: script, args: ["worker", socketPath] });
  return keep(count, "worker", () => dealing(cluster.fork().process), collect);
}

/** What node:cluster tells a worker to whom it deals a connection, and what that says in return, by the same number. */
interface Dealing {
  seq?: number;
  ack?: number;
}

/** Processes that have missed beats: no connection is dealt to them. */
const suspended = new WeakSet<ChildProcess>();

/**
 * Sees to the connections that node:cluster deals a worker, one at a time. One that it did not take before it ended is closed:
 * node:cluster would keep it open for ever, and its caller would wait as long (nodejs/node-v0.x-archive#7006). One that is
 * dealt to a suspended worker is refused in its name, so that another gets it.
 */
function dealing(worker: ChildProcess): ChildProcess {
  let dealt: { seq: number | undefined; connection: { close(): void } } | undefined;
  const send = worker.send.bind(worker) as (message: Dealing, ...rest: unknown[]) => boolean;
  worker.send = (message: Dealing, connection?: unknown, ...rest: unknown[]) => {
    const isConnection = typeof connection === "object" && connection !== null && "close" in connection;
    if (isConnection && suspended.has(worker)) {
      const refusal = { cmd: "NODE_CLUSTER", ack: message.seq, accepted: false };
      setTimeout(() => worker.emit("internalMessage", refusal), PASS_ON_MS);
      return true;
    }
    if (isConnection) dealt = { seq: message.seq, connection: connection as { close(): void } };
    return send(message, connection, ...rest);
  };
  worker.on("internalMessage", ({ ack }: Dealing) => {
    if (ack === dealt?.seq) dealt = undefined;
  });
  // It may be dealt one more between the two, whichever comes first.
  for (const end of ["exit", "disconnect"]) worker.once(end, () => dealt?.connection.close());
  return worker;
}

/**
 * Kills a process that sends no beats. They are counted by turns of ours: where this process itself stood still, so that it heard
 * of none, that is one turn.
 */
function watchBeats(child: ChildProcess, role: string) {
  let missed = 0;
  const timer = setInterval(() => {
    missed++;
    if (missed === BEATS_TO_SUSPEND && role === "worker") {
      suspended.add(child);
      log().warn({ role, pid: child.pid }, "a process of the service does not answer: it gets no more connections");
    }
    if (missed === BEATS_TO_KILL) {
      log().error({ role, pid: child.pid }, "a process of the service does not answer: it is killed");
      meter()?.killed(role);
      child.kill("SIGKILL");
    }
  }, BEAT_MS).unref();
  child.once("exit", () => clearInterval(timer));
  return () => {
    missed = 0;
    suspended.delete(child);
  };
}

function keep(
  count: number,
  role: string,
  start: () => ChildProcess,
  collect: ProcessGroupOptions["collect"],
): ProcessGroup {
  const running = new Set<ChildProcess>();
  const counted = new Map<ChildProcess, Counts>();
  let provision: Provision | undefined;
  let starting: StartReason | undefined;
  let stopping = false;
  const startOne = (): Promise<void> => {
    const child = start();
    const startedAt = performance.now();
    running.add(child);
    child.once("exit", async (code, signal) => {
      running.delete(child);
      counted.set(child, afterwards(counted.get(child) ?? []));
      if (stopping) return;
      log().error({ role, pid: child.pid, code, signal }, "a process of the service has ended: it is replaced");
      if (performance.now() - startedAt < SHORT_LIFE_MS) await sleep(PAUSE_MS);
      // Its end is heard of as that of the first one was.
      if (!stopping) startOne().catch(() => undefined);
    });
    let onBeat: (() => void) | undefined;
    return new Promise((resolve, reject) => {
      child.on("message", (report: Report) => {
        if (report === "obeying") {
          // An order that came before it obeyed may be lost: node:cluster reads them from the beginning.
          if (stopping) return tell(child, "stop");
          tell(child, { provision });
          if (starting) tell(child, { starting });
        } else if (report === "listening" || report === "beat") {
          onBeat ??= watchBeats(child, role);
          onBeat();
          if (report === "listening") resolve();
        } else if (report === "collect") void collect().then((metrics) => tell(child, { metrics }));
        else if (running.has(child)) counted.set(child, report.counts);
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
    announceStart(reason) {
      starting = reason;
      for (const child of running) tell(child, { starting });
    },
    async counts() {
      await Promise.all([...running].map(askToCount));
      return [...counted.values()];
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

/** Resolves once it has told what it has counted, or is taken to be too busy for it. */
function askToCount(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      child.off("message", hear).off("exit", end);
      resolve();
    };
    const hear = (report: Report) => {
      if (typeof report === "object") end();
    };
    const timer = setTimeout(end, COUNT_MS);
    child.on("message", hear).on("exit", end);
    tell(child, "count");
  });
}
