import type { MetricObjectWithValues, MetricValue } from "prom-client";

/** A process's metrics, in the form that processes exchange. */
export type Counts = MetricObjectWithValues<MetricValue<string>>[];

/** A process's counters. */
export interface Meter {
  /** A request was answered; 499 means that the client disconnected. */
  answered(request: { method: string; route: string; status: number }, seconds: number): void;
  /** A wait for a database connection ended, with or without one. */
  waited(seconds: number): void;
  /** A user group was changed. */
  changed(change: "created" | "updated" | "rotated"): void;
  /** A renderer asked about a token that must not be served; `unknown` if no group has it. */
  refused(reason: string): void;
  /** A write has a problem by the environment's definitions. */
  found(kind: string): void;
  /** Messages were sent to a webhook. */
  sent(outcome: "delivered" | "failed", count: number): void;
  /** The service disabled a webhook. */
  disabled(reason: "gone" | "failing"): void;
  /** A job ended. */
  jobEnded(outcome: "done" | "failed"): void;
  /** The pages process ended, and is replaced. */
  killed(): void;
  /** Client connections were closed at the limit: idle ones to make room, or new ones. */
  closed(reason: "room" | "refused", count: number): void;
  /** Another server is the database's primary. */
  failedOver(): void;
  /** The history has partitions for this many future months. */
  partitioned(monthsAhead: number): void;
  /** The last backup of the embedded database was taken then; undefined without a backup. */
  backedUp(at: Date | undefined): void;
  /** A transaction that has run this long holds up new events. */
  feedLags(seconds: number, blocker: string): void;
  /** The oldest event that waits to be sent is this old. */
  webhooksLag(seconds: number): void;
  counts(): Promise<Counts>;
}

let counting: Meter | undefined;

/** The meter of this process; undefined without METRICS_TOKEN. */
export function meter(): Meter | undefined {
  return counting;
}

/** Starts counting. */
export function countWith(meter: Meter) {
  counting = meter;
}
