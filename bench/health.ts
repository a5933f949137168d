import { setTimeout as sleep } from "node:timers/promises";
import { PRESETS } from "@/lib/db/scopes";
import { insertApiToken } from "../e2e/fixtures/api-token";
import { callerOf } from "../e2e/fixtures/findings";
import type { Goal } from "./goals";
import { startGenerator } from "./open-loop";
import { median } from "./quantile";
import { circumstances, print, printGoals, writeResults } from "./report";
import { onStage } from "./stage";
import type { Kept } from "./timetable";

/** GET existing, a second. */
const RATE = 500;
/** The longest time from new definitions until all groups are checked, in seconds. */
const MOST_SECONDS = 10;
const POLL_MS = 50;

/** Definitions of the sample groups, of which each version finds something else. */
const definitionsOf = (round: number) => ({
  properties: {
    plan: { type: "string", required: true, enum: ["free", "pro", "enterprise", `plan-${round}`] },
    region: { type: "string", required: true },
    seats: { type: "integer" },
    industry: { type: round % 2 === 0 ? "string" : "date" },
  },
  unknown_properties: "refuse",
  enforcement: "report",
});

interface HealthOptions {
  groups: number;
  rounds: number;
  seconds: number;
  suffix: string;
}

/** Measures how long all groups take to be checked against new definitions, and GET existing in that time and without. */
export async function measureHealth({ groups, rounds, seconds, suffix }: HealthOptions) {
  await onStage({ groups, print }, async ({ ours, database, settings, atEnd }) => {
    const calls = callerOf(ours.url, await insertApiToken(settings, { scopes: PRESETS.full }));
    const keep = startGenerator(atEnd);
    const comparedAt = async () => {
      const text = "SELECT compared_at FROM finding_state s JOIN environment e USING (id) WHERE slug = 'testing'";
      return Number((await database.query<{ compared_at: Date | null }>(text)).rows[0]?.compared_at ?? 0);
    };
    const started = performance.now();
    while ((await comparedAt()) === 0) await sleep(POLL_MS);
    print(`checked and compared for the first time in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
    const passes: number[] = [];
    const pass = async (round: number) => {
      const began = performance.now();
      const { version } = await calls.define(definitionsOf(round));
      const isChecked = async () => {
        const { is_current, definitions_version } = await calls.findings();
        return is_current && definitions_version === version;
      };
      while (!(await isChecked())) await sleep(POLL_MS);
      passes.push((performance.now() - began) / 1_000);
    };
    const [alone, beside]: [Kept[], Kept[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      alone.push(await keep({ server: ours, rate: RATE, seconds }));
      const [kept] = await Promise.all([keep({ server: ours, rate: RATE, seconds }), pass(round)]);
      beside.push(kept);
      await pass(rounds + round);
    }
    const { findings } = await calls.findings();
    print(`findings: ${findings.map(({ id, count }) => `${id} ${count}`).join(", ")}`);
    for (const [what, kept] of Object.entries({ "without a pass": alone, "with one": beside })) {
      const middle = (pick: (one: Kept) => number) => median(kept.map(pick)).toFixed(1);
      print(`GET existing ${what}: p50 ${middle(({ p50 }) => p50)} ms, p99 ${middle(({ p99 }) => p99)} ms`);
    }
    const lone = passes.filter((_, n) => n % 2 === 1);
    print(`checked in ${lone.map((one) => one.toFixed(1)).join(", ")} s`);
    const goals: Goal[] = [
      {
        what: "seconds until all are checked",
        value: median(lone),
        goal: MOST_SECONDS,
        bound: "at most",
      },
      {
        what: "errors",
        value: [...alone, ...beside].reduce((sum, one) => sum + one.errors, 0),
        goal: 0,
        bound: "at most",
      },
    ];
    printGoals(goals);
    const about = circumstances();
    writeResults(`${about.date}-health${suffix}`, {
      ...about,
      groups,
      seconds,
      rate: RATE,
      passes,
      alone,
      beside,
      goals,
    });
  });
}
