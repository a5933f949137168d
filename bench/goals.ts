import type { Result } from "./compare";

/** A figure that is to be at least or at most so much. */
export interface Goal {
  what: string;
  value: number;
  goal: number;
  bound: "at least" | "at most";
}

/** How far beside its goal a figure may be before the run fails: the machine is noisy. */
const TOLERANCE = 0.15;
const PLAIN = 8;
const P99_OF_MANY = 4;
/** What a process that answers the API may take at most. */
export const MEBIBYTES = 250;

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
export function goalsOf(results: Result[]): Goal[] {
  const goals: Goal[] = [];
  for (const { what, connections, goal, requests, contenders } of results) {
    const value = requests.bare?.median ?? Number.NaN;
    const name = `${what}, ${connections} connections`;
    goals.push({ what: `${name}: requests, ours / bare`, value, goal, bound: "at least" });
    const errors = contenders.ours?.errors ?? Number.NaN;
    goals.push({ what: `${name}: errors of ours`, value: errors, goal: 0, bound: "at most" });
  }
  const look = (connections: number) =>
    results.find((result) => result.what === "GET existing" && result.connections === connections);
  const [some, many] = [look(32), look(256)];
  if (some?.requests.plain) {
    const value = some.requests.plain.median;
    goals.push({ what: "GET existing, 32 connections: requests, ours / plain", value, goal: PLAIN, bound: "at least" });
  }
  if (some?.p99.bare) {
    const value = some.p99.bare.median;
    goals.push({ what: "GET existing, 32 connections: p99, ours / bare", value, goal: 1, bound: "at most" });
  }
  if (some?.contenders.ours && many?.contenders.ours) {
    const value = many.contenders.ours.p99 / some.contenders.ours.p99;
    goals.push({ what: "GET existing: p99 of ours at 256 / at 32", value, goal: P99_OF_MANY, bound: "at most" });
  }
  const rss = Math.max(...results.map(({ contenders }) => contenders.ours?.rss ?? Number.NaN));
  goals.push({ what: "RSS of ours at most, MiB", value: rss, goal: MEBIBYTES, bound: "at most" });
  return goals;
}
