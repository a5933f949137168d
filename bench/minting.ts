import { compare } from "./compare";
import { contend } from "./load";
import { circumstances, print, printGoals, printResult, writeResults } from "./report";
import { onStage } from "./stage";

interface MintingOptions {
  groups: number;
  rounds: number;
  seconds: number;
  suffix: string;
}

/** The minimum ratio of minting to GET existing. */
const LEAST = 0.5;

/**
 * Compares POST /api/viewer-tokens with GET existing in turn, on one service: minting also signs, and reads the keys'
 * version.
 */
export async function measureMinting({ groups, rounds, seconds, suffix }: MintingOptions) {
  await onStage({ groups, print }, async ({ ours }) => {
    const minting = { ...ours, calls: { ...ours.calls, any: "POST /api/viewer-tokens" } };
    const contenders = [contend(minting), contend({ ...ours, name: "GET" })];
    const one = { what: "POST /api/viewer-tokens", kind: "any", connections: 32, goal: LEAST } as const;
    const result = await compare(contenders, one, { rounds, seconds });
    printResult(result);
    const { low: value, high } = result.requests.GET?.interval ?? { low: Number.NaN, high: Number.NaN };
    print(`  95 % interval of the median ratio: ${value.toFixed(2)}–${high.toFixed(2)}`);
    const errors = result.contenders.ours?.errors ?? Number.NaN;
    const goals = [
      { what: "requests, minting / GET existing, lower end", value, goal: LEAST, bound: "at least" } as const,
      { what: "errors of minting", value: errors, goal: 0, bound: "at most" } as const,
    ];
    printGoals(goals);
    const about = circumstances();
    writeResults(`${about.date}-minting${suffix}`, { ...about, groups, rounds, seconds, result, goals });
  });
}
