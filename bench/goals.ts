import type { Result } from "./compare";
import type { OpenResult } from "./open-loop";

/** A figure that is to be at least or at most so much. */
export interface Goal {
  what: string;
  value: number;
  goal: number;
  bound: "at least" | "at most";
}

/** How far beside its goal a figure may be before the run fails: the machine is noisy. */
const TOLERANCE = 0.15;
/** The connections of most loads. */
export const SOME = 32;
/** How many times the bare server's requests ours answers at least. */
export const LEAST = { some: 1.35, many: 1.3, lone: 0.7, writes: 0.8, mix: 0.8 };
/** In milliseconds, of ours at half of what it answers in the closed loop. */
export const P99_AT_HALF = 5;
export const HALF = 0.5;
/** The RSS of a process that answers the API. */
export const MEBIBYTES = 200;

/** Whether the goal is reached. */
export function isReached({ value, goal, bound }: Goal): boolean {
  return bound === "at least" ? value >= goal : value <= goal;
}

/** Whether a figure is so far beside its goal that the run fails. */
export function isShort({ value, goal, bound }: Goal): boolean {
  // What could not be measured falls short as well.
  return !(bound === "at least" ? value >= goal * (1 - TOLERANCE) : value <= goal * (1 + TOLERANCE));
}

/** What is asked of the results that there are. */
export function goalsOf(results: Result[], openLoop: OpenResult[]): Goal[] {
  const goals: Goal[] = [];
  for (const { what, connections, goal, requests, contenders } of results) {
    const value = requests.bare?.median ?? Number.NaN;
    const name = `${what}, ${connections} connections`;
    goals.push({ what: `${name}: requests, ours / bare`, value, goal, bound: "at least" });
    const errors = contenders.ours?.errors ?? Number.NaN;
    goals.push({ what: `${name}: errors of ours`, value: errors, goal: 0, bound: "at most" });
  }
  const some = results.find(({ what, connections }) => what === "GET existing" && connections === SOME);
  if (some?.p99.bare) {
    const value = some.p99.bare.median;
    goals.push({ what: `GET existing, ${SOME} connections: p99, ours / bare`, value, goal: 1, bound: "at most" });
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
