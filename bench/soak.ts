import { slopeOf } from "../e2e/fixtures/statistics";
import { type Goal, MEBIBYTES } from "./goals";
import { contend } from "./load";
import { circumstances, print, printGoals, writeResults } from "./report";
import { onStage } from "./stage";

const STEPS = 10;
/** Steps while the heap is still growing. */
const UNSETTLED_STEPS = 3;
/** In MiB per 100,000 requests: about ten bytes per request, less than any leak. */
const MAX_SLOPE = 1;
const MIX = { kind: "mix", connections: 32 } as const;

interface Point {
  requests: number;
  rss: number;
}

/** Sends this many requests of the mix and records the memory; `suffix` is of the results' name. */
export async function soak(groups: number, requests: number, suffix: string) {
  const step = requests / STEPS;
  await onStage(groups, async ({ ours }) => {
    const { run } = contend(ours);
    let { perSecond } = await run({ ...MIX, seconds: 2 });
    let [sent, errors] = [0, 0];
    const points: Point[] = [];
    print("   requests     req/s   RSS MiB");
    while (sent < requests) {
      const measured = await run({ ...MIX, seconds: Math.max(1, Math.round((step - (sent % step)) / perSecond)) });
      ({ perSecond } = measured);
      sent += measured.requests;
      errors += measured.errors;
      const { rss } = measured;
      points.push({ requests: sent, rss });
      print(`${String(sent).padStart(11)}${perSecond.toFixed(0).padStart(10)}${rss.toFixed(0).padStart(10)}`);
    }
    const settled = points.filter((point) => point.requests >= UNSETTLED_STEPS * step);
    const goals: Goal[] = [
      { what: "errors", value: errors, goal: 0, bound: "at most" },
      { what: "RSS at the end, MiB", value: points.at(-1)?.rss ?? Number.NaN, goal: MEBIBYTES, bound: "at most" },
      {
        what: "RSS, MiB per 100,000 requests",
        value: slopeOf(settled.map(({ requests, rss }) => [requests, rss])) * 100_000,
        goal: MAX_SLOPE,
        bound: "at most",
      },
    ];
    printGoals(goals);
    const about = circumstances();
    writeResults(`${about.date}-soak${suffix}`, { ...about, groups, points, goals });
  });
}
