import { once } from "node:events";
import type { StartReason } from "@/lib/operations/health";
import { type Counts, meter } from "@/lib/telemetry/meter";

/** What a process needs to serve: its share of the connections, and the secret keys in base64. */
export interface Provision {
  databaseUrl: string;
  connections: number;
  current: string;
  previous: string | undefined;
}

/**
 * What the first process tells those it has started, and what they tell it. Each asks for its provision before it
 * listens, and may hear that there is none yet: one that replaces another must not turn away what that one would have answered.
 */
export type Order =
  | { provision: Provision | undefined }
  | { metrics: string }
  | { starting: StartReason }
  | "count"
  | "stop";
export type Report = { counts: Counts } | "obeying" | "listening" | "collect" | "beat";

/** How often a process says that it lives, in milliseconds. */
export const BEAT_MS = 500;

interface Duties {
  provide(provision: Provision): void;
  announceStart(reason: StartReason): void;
  stop(): void;
}

/** Those in this process who wait for the metrics of all. */
let waiting: ((metrics: string) => void)[] = [];

/** Asks the process that started this one for the metrics of all. */
export function collectFromAll(): Promise<string> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) report("collect");
  });
}

/**
 * Obeys the process that started this one, and ends with it. Signals are for that one alone: a terminal sends Ctrl-C to all.
 * Resolves with its first order.
 */
export async function obey({ provide, announceStart, stop }: Duties) {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => undefined);
  process.on("disconnect", () => process.exit(1));
  if (!process.connected) process.exit(1);
  // It is sent to whoever runs and to whoever asks: who did both just then gets it twice.
  let isProvided = false;
  let isStopping = false;
  process.on("message", (order: Order) => {
    if (order === "stop") {
      if (!isStopping) stop();
      isStopping = true;
      return;
    }
    if (order === "count")
      void meter()
        ?.counts()
        .then((counts) => report({ counts }));
    else if ("starting" in order) announceStart(order.starting);
    else if ("metrics" in order) {
      const asked = waiting;
      waiting = [];
      for (const resolve of asked) resolve(order.metrics);
    } else if (order.provision && !isProvided) {
      isProvided = true;
      provide(order.provision);
    }
  });
  report("obeying");
  await once(process, "message");
}

/** Tells the process that started this one that it can be sent requests, and from then on that it lives. */
export function reportListening() {
  report("listening");
  setInterval(() => report("beat"), BEAT_MS).unref();
}

function report(what: Report) {
  // It fails where that process has just ended, of which "disconnect" tells as well; unheard, the failure would be thrown.
  process.send?.(what, undefined, undefined, () => undefined);
}
