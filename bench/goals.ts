import type { Result } from "./compare";
import type { OpenResult } from "./open-loop";

/** A figure with a lower or upper bound. */
export interface Goal {
  what: string;
  value: number;
  goal: number;
  bound: "at least" | "at most";
}

/** How far a figure may miss its goal before the run fails: the machine is noisy. */
const TOLERANCE = 0.15;
/** The connections of the loads. */
export const LONE = 1;
export const SOME = 32;
export const MANY = 256;
/** The minimum ratios of our requests to those of the service on Fastify. */
export const LEAST = [
  { what: "GET existing", kind: "any", lone: 1, some: 1.9, many: 2.2 },
  { what: "GET creating", kind: "fresh", lone: 0.8, some: 1.3, many: 1.4 },
  { what: "PUT", kind: "named", lone: 0.65, some: 1, many: 1.4 },
  { what: "POST rotating", kind: "next", lone: 0.65, some: 1.1, many: 1.4 },
] as const;
/** In milliseconds, at half of our closed-loop throughput. */
const P99_AT_HALF = 5;
export const HALF = 0.5;
/** The RSS limit of an API process. */
const MEBIBYTES = 200;

/** Whether the goal is reached. */
export function isReached({ value, goal, bound }: Goal): boolean {
  return bound === "at least" ? value >= goal : value <= goal;
}

/** Whether a figure misses its goal so far that the run fails. */
export function isShort({ value, goal, bound }: Goal): boolean {
  // Negated, so that a failed measurement (NaN) misses its goal too.
  return !(bound === "at least" ? value >= goal * (1 - TOLERANCE) : value <= goal * (1 + TOLERANCE));
}

/** The goals of the given results. */
export function goalsOf(results: Result[], openLoop: OpenResult[]): Goal[] {
  const goals: Goal[] = [];
  for (const { what, connections, goal, ratios, contenders } of results) {
    const value = ratios.fastify?.median ?? Number.NaN;
    const name = `${what}, ${connections} connections`;
    goals.push({ what: `${name}: requests, ours / fastify`, value, goal, bound: "at least" });
    const errors = contenders.ours?.errors ?? Number.NaN;
    goals.push({ what: `${name}: errors of ours`, value: errors, goal: 0, bound: "at most" });
  }
  for (const { share, contenders } of openLoop) {
    const { p99 = Number.NaN, errors = Number.NaN } = contenders.ours ?? {};
    const name = `GET existing at ${share * 100} % load`;
    if (share === HALF)
      goals.push({ what: `${name}: p99 of ours, ms`, value: p99, goal: P99_AT_HALF, bound: "at most" });
    goals.push({ what: `${name}: errors of ours`, value: errors, goal: 0, bound: "at most" });
  }
  const rss = Math.max(...results.map(({ contenders }) => contenders.ours?.rss ?? Number.NaN));
  goals.push({ what: "RSS of ours at most, MiB", value: rss, goal: MEBIBYTES, bound: "at most" });
  return goals;
}
