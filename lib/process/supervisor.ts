import { type ChildProcess, fork } from "node:child_process";
import cluster from "node:cluster";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import type { Primary } from "@/lib/db/hosts";
import { StartError } from "@/lib/errors";
import type { StartReason } from "@/lib/operations/health";
import { afterwards } from "@/lib/operations/prometheus";
import { BEAT_MS, type Order, type Provision, type Report } from "@/lib/process/orders";
import { log } from "@/lib/telemetry/log";
import { type Counts, meter } from "@/lib/telemetry/meter";

/** Supervised processes of the service. */
export interface ProcessGroup {
  /** resolves once all of them listen; rejects when one ends before that */
  listening: Promise<unknown>;
  /** sends them, and their replacements, their provision */
  provide(provision: Provision): void;
  /** tells them why the start waits */
  announceStart(reason: StartReason): void;
  /** tells them which server is the primary */
  follow(primary: Primary): void;
  /** the metrics of each; the last known ones of a process that is late or has ended */
  counts(): Promise<Counts[]>;
  /** has them answer calls that wait for events */
  stopWaiting(): void;
  /** lets them finish running requests; resolves when they have ended */
  stop(): Promise<void>;
}

interface ProcessGroupOptions {
  script: string;
  socketPath: string;
  /** returns the metrics of all processes, for one that was asked */
  collect(): Promise<string>;
}

/** A process that ends sooner than this is replaced with a delay, so that a broken one costs little. */
const SHORT_LIFE_MS = 5_000;
const PAUSE_MS = 1_000;
const COUNT_MS = 500;

/** Missed heartbeats in a row until a process gets no more connections, and until it is killed: 2 s and 5 s. */
const BEATS_TO_SUSPEND = 4;
const BEATS_TO_KILL = 10;
/** How long a suspended process keeps a connection before it goes to the next, in milliseconds. */
const PASS_ON_MS = 10;

/**
 * Makes V8 collect in full once the heap has grown by 30 percent, instead of letting it double and more
 * (docs/decisions/020-set-up-v8-at-startup.md).
 */
export function keepHeapSmall() {
  setFlagsFromString("--heap-growing-percent=30");
}

/** Pages have few readers, and exports leave much garbage: a small young generation is collected sooner. */
const FRUGAL = ["--max-semi-space-size=4"];

/** Starts the pages' process. */
export function startPages({ script, socketPath, ...options }: ProcessGroupOptions): ProcessGroup {
  const execArgv = [...process.execArgv, ...FRUGAL];
  const start = () => {
    const child = fork(script, ["pages", socketPath], { execArgv });
    // It sends webhooks and applies imports, which must not delay the API where processors are scarce.
    if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    return child;
  };
  return keep(1, "pages", start, options);
}

/** Starts API workers behind one port; connections are distributed in turn. */
export function startWorkers(count: number, { script, socketPath, ...options }: ProcessGroupOptions): ProcessGroup {
  cluster.setupPrimary({ exec: script, args: ["worker", socketPath] });
  return keep(count, "worker", () => dealing(cluster.fork().process), options);
}

/** node:cluster's message that gives a worker a connection, and its acknowledgement with the same number. */
interface Dealing {
  seq?: number;
  ack?: number;
}

/** Processes that have missed heartbeats: they get no connections. */
const suspended = new WeakSet<ChildProcess>();

/**
 * Guards the connections that node:cluster gives a worker, one at a time. One not accepted before the worker ended is closed:
 * node:cluster would keep it open for ever, and its caller would wait as long (nodejs/node-v0.x-archive#7006). One
 * given to a suspended worker is refused on its behalf, so that another gets it.
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
  // It may get one more between the two events, in either order.
  for (const end of ["exit", "disconnect"]) worker.once(end, () => dealt?.connection.close());
  return worker;
}

/**
 * Kills a process that sends no heartbeats. They are counted in turns of our loop: a pause of this process, during which it hears
 * none, counts as one turn.
 */
function watchBeats(child: ChildProcess, role: string) {
  let missed = 0;
  const timer = setInterval(() => {
    missed++;
    if (missed === BEATS_TO_SUSPEND && role === "worker") {
      suspended.add(child);
      log().warn({ role, pid: child.pid }, "a process does not respond: it gets no more connections");
    }
    if (missed === BEATS_TO_KILL) {
      log().error({ role, pid: child.pid }, "a process does not respond: killing it");
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
  { collect }: Pick<ProcessGroupOptions, "collect">,
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
      log().error({ role, pid: child.pid, code, signal }, "a process ended and will be replaced");
      if (performance.now() - startedAt < SHORT_LIFE_MS) await sleep(PAUSE_MS);
      // Its end is handled like the first one's.
      if (!stopping) startOne().catch(() => undefined);
    });
    let noteBeat: (() => void) | undefined;
    return new Promise((resolve, reject) => {
      child.on("message", (report: Report) => {
        if (report === "obeying") {
          // An order sent before it listened may be lost: node:cluster reads messages from the start.
          if (stopping) return tell(child, "stop");
          tell(child, { provision });
          if (starting) tell(child, { starting });
        } else if (report === "listening" || report === "beat") {
          noteBeat ??= watchBeats(child, role);
          noteBeat();
          if (report === "listening") resolve();
        } else if (report === "collect") void collect().then((metrics) => tell(child, { metrics }));
        else if (running.has(child)) counted.set(child, report.counts);
      });
      child.once("exit", () => reject(new StartError("A process of the service ended before it was ready.")));
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
    follow(primary) {
      for (const child of running) tell(child, { primary });
    },
    async counts() {
      await Promise.all([...running].map(askToCount));
      return [...counted.values()];
    },
    stopWaiting() {
      for (const child of running) tell(child, "stop waiting");
    },
    async stop() {
      stopping = true;
      const ended = [...running].map((child) => once(child, "exit"));
      for (const child of running) tell(child, "stop");
      await Promise.all(ended);
    },
  };
}

/** A process that is just ending ignores it; its end is handled elsewhere. */
function tell(child: ChildProcess, order: Order) {
  child.send(order, () => undefined);
}

/** Resolves once it has reported its counts, or is considered too busy. */
function askToCount(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      child.off("message", hear).off("exit", end);
      resolve();
    };
    const hear = (report: Report) => {
      if (typeof report === "object" && "counts" in report) end();
    };
    const timer = setTimeout(end, COUNT_MS);
    child.on("message", hear).on("exit", end);
    tell(child, "count");
  });
}
