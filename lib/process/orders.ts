import { once } from "node:events";
import type { Work } from "@/lib/process/database-watch";
import { type Counts, meter } from "@/lib/telemetry/current";

/** A process's provision: its share of the connections, and the result of `secretKeys` in base64. */
export interface Provision {
  databaseUrl: string;
  connections: number;
  keys: (string | null)[];
}

/**
 * Messages from the API process to the pages process, and back. The provision comes first, before the process listens,
 * so that a replacement refuses no request that its predecessor would have answered; it is undefined if not yet known.
 */
export type Order =
  | { provision: Provision | undefined }
  /** work that is due */
  | { work: Work[] }
  | "count"
  /** the database has failed over */
  | "leave sessions"
  /** answer waiting calls, as a stop follows */
  | "stop waiting"
  | "stop";
export type Report = { counts: Counts } | "listening" | "beat";

/** Heartbeat interval, in milliseconds. */
export const BEAT_MS = 500;

/**
 * Follows the parent process's orders, and ends with it. Ignores signals, which the parent handles: a terminal sends
 * Ctrl-C to all processes. Resolves with the first order.
 */
export async function obey(follow: (order: Order) => void) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
  process.on("disconnect", () => process.exit(1));
  if (!process.connected) process.exit(1);
  process.on("message", follow);
  await once(process, "message");
}

/** Reports to the parent that this process accepts requests, then sends heartbeats. */
export function reportListening() {
  report("listening");
  setInterval(() => report("beat"), BEAT_MS).unref();
}

/** Reports this process's metrics to the parent. */
export async function reportCounts() {
  report({ counts: (await meter()?.counts()) ?? [] });
}

function report(what: Report) {
  // Fails when the parent has just ended, which "disconnect" reports too; without a callback the error would be thrown.
  process.send?.(what, undefined, undefined, () => undefined);
}
