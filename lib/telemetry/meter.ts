import type { MetricObjectWithValues, MetricValue } from "prom-client";

/** What one process has counted, in the form in which processes tell it each other. */
export type Counts = MetricObjectWithValues<MetricValue<string>>[];

/** Where a process counts what it does. */
export interface Meter {
  /** A request was answered; 499 stands for a client that did not wait. */
  answered(request: { method: string; route: string; status: number }, seconds: number): void;
  /** Somebody got a connection to the database, or none, and had waited for so long. */
  waited(seconds: number): void;
  /** A user group was changed. */
  changed(change: "created" | "updated" | "rotated"): void;
  /** A process of this service did not answer any more and was killed. */
  killed(role: string): void;
  /** Connections of clients were closed for want of room: idle ones, or new ones that none made room for. */
  closed(reason: "room" | "refused", count: number): void;
  /** The history has partitions for so many months after this one. */
  partitioned(monthsAhead: number): void;
  counts(): Promise<Counts>;
}

let current: Meter | undefined;

/** The meter of this process: none unless METRICS_TOKEN is set, so that nothing is counted that nobody reads. */
export function meter(): Meter | undefined {
  return current;
}

/** Counts from now on. */
export function countWith(meter: Meter) {
  current = meter;
}
