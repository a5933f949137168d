import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { BEAT_MS, type Order, type Provision, type Report } from "@/lib/process/orders";
import { type Counts, meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";

/** The pages process, and its replacements. */
export interface PagesProcess {
  /** resolves once a pages process listens */
  listening: Promise<void>;
  /** sends the process, and its replacements, their provision */
  provide(provision: Provision): void;
  /** sends the current process an order */
  order(what: Order): void;
  /** the metrics of the current process, or its last known ones if it is late */
  counts(): Promise<Counts>;
  /** lets the process finish running requests; resolves when it has ended */
  stop(): Promise<void>;
}

/** A process that ends sooner than this is replaced with a delay, so that a broken one costs little. */
const SHORT_LIFE_MS = 5_000;
const PAUSE_MS = 1_000;
/** A process that does not listen by then hangs, in milliseconds: on a fifth of a processor, a start takes 20 s. */
const PATIENCE_MS = 120_000;
const COUNT_MS = 500;

/** Missed heartbeats in a row before the process is killed: 5 s. */
const BEATS_TO_KILL = 10;

/** Pages have few readers, and exports create much garbage: a small young generation is collected sooner. */
const FRUGAL = ["--max-semi-space-size=4"];

/** Starts the pages process, and replaces it whenever it ends or hangs. */
export function startPages(script: string, socketPath: string): PagesProcess {
  let counted: Counts = [];
  const reports = new EventEmitter();
  let running: ChildProcess | undefined;
  let provision: Provision | undefined;
  let stopping = false;
  const order = (what: Order) => running && sendOrder(running, what);
  const start = (onListening: () => void) => {
    const startedAt = performance.now();
    const replace = async (reason: object) => {
      running = undefined;
      counted = [];
      if (stopping) return;
      meter()?.killed();
      log().error(reason, "the pages process ended and will be replaced");
      if (performance.now() - startedAt < SHORT_LIFE_MS) await sleep(PAUSE_MS);
      if (!stopping) start(onListening);
    };
    const child = tryToFork([script, "pages", socketPath], (err) => void replace({ err }));
    if (!child) return;
    running = child;
    sendOrder(child, { provision });
    const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS).unref();
    child.once("exit", (code, signal) => {
      clearTimeout(late);
      void replace({ pid: child.pid, code, signal });
    });
    let noteBeat: (() => void) | undefined;
    child.on("message", (report: Report) => {
      if (report === "listening" || report === "beat") {
        noteBeat ??= watchBeats(child);
        noteBeat();
        if (report === "listening") {
          clearTimeout(late);
          onListening();
        }
      } else if (running === child) {
        counted = report.counts;
        reports.emit("counts");
      }
    });
  };
  return {
    listening: new Promise(start),
    provide(given) {
      provision = given;
      order({ provision });
    },
    order,
    async counts() {
      if (!running) return [];
      order("count");
      await once(reports, "counts", { signal: AbortSignal.timeout(COUNT_MS) }).catch(() => undefined);
      return counted;
    },
    async stop() {
      stopping = true;
      if (!running) return;
      const ended = once(running, "exit");
      order("stop");
      await ended;
    },
  };
}

/**
 * Starts a process. Calls `failed` if the machine is short of processes, files or memory: Node throws some of these
 * errors, and emits others in place of `exit`.
 */
function tryToFork([script = "", ...args]: string[], failed: (error: unknown) => void): ChildProcess | undefined {
  try {
    const child = fork(script, args, { execArgv: [...process.execArgv, ...FRUGAL] });
    child.on("error", (error) => {
      if (child.pid === undefined) failed(error);
    });
    return child;
  } catch (error) {
    failed(error);
    return undefined;
  }
}

/**
 * Kills a process that sends no heartbeats. Missed beats are counted in turns of this process's event loop, so that a
 * pause of this process, during which it receives none, counts as one.
 */
function watchBeats(child: ChildProcess) {
  let missed = 0;
  const timer = setInterval(() => {
    missed++;
    if (missed !== BEATS_TO_KILL) return;
    log().error({ pid: child.pid }, "the pages process does not respond: killing it");
    child.kill("SIGKILL");
  }, BEAT_MS).unref();
  child.once("exit", () => clearInterval(timer));
  return () => {
    missed = 0;
  };
}

/** Sends an order. A failure is ignored: the process is ending, which is handled elsewhere. */
function sendOrder(child: ChildProcess, order: Order) {
  child.send(order, () => undefined);
}
