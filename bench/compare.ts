import { type Estimate, estimate, median } from "../e2e/fixtures/statistics";
import type { Contender, Kind, Load, Measured } from "./load";

/** A load for all contenders in turn. */
export interface Case extends Pick<Load, "connections"> {
  what: string;
  kind: Kind;
  /** the minimum ratio of our requests to the peer's */
  goal: number;
}

/** The medians of a contender's rounds; `spread` is that of requests per second, as a fraction of the median. */
export interface Summary extends Measured {
  spread: number;
}

/** The result of a case. */
export interface Result {
  what: string;
  connections: number;
  goal: number;
  contenders: Record<string, Summary>;
  /** our requests to each other contender's: the median of the rounds' ratios */
  ratios: Record<string, Estimate>;
}

interface Effort {
  rounds: number;
  seconds: number;
}

/**
 * Seconds until V8 has compiled the code for a kind of request, and each database connection has touched most of its
 * pages; and for a warm kind, until its pools and caches are restored.
 */
const WARM_UP = { cold: 8, warm: 2 };

const warm = new Set<string>();

/**
 * Runs the load on all contenders in turn, in reverse order every other round. Compares adjacent results: the machine's
 * noise comes in waves, which affect both of a pair.
 */
export async function compare(contenders: Contender[], one: Case, { rounds, seconds }: Effort): Promise<Result> {
  const { what, kind, connections, goal } = one;
  for (const contender of contenders) await warmUp(contender, one);
  const measured = new Map<string, Measured[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      measured.get(name)?.push(await run({ kind, connections, seconds }));
    }
  }
  const ours = measured.get("ours") ?? [];
  const ratioTo = (theirs: Measured[]) =>
    estimate(ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? Number.NaN)));
  const others = [...measured].filter(([name]) => name !== "ours");
  return {
    what,
    connections,
    goal,
    contenders: Object.fromEntries([...measured].map(([name, rounds]) => [name, summarize(rounds)])),
    ratios: Object.fromEntries(others.map(([name, theirs]) => [name, ratioTo(theirs)])),
  };
}

async function warmUp({ name, run }: Contender, { kind, connections }: Case) {
  const known = `${name} ${kind}`;
  await run({ kind, connections, seconds: warm.has(known) ? WARM_UP.warm : WARM_UP.cold });
  warm.add(known);
}

/** The medians of the rounds; of errors the sum, of memory the maximum. */
function summarize(rounds: Measured[]): Summary {
  const speeds = rounds.map(({ perSecond }) => perSecond);
  return {
    perSecond: median(speeds),
    spread: (Math.max(...speeds) - Math.min(...speeds)) / median(speeds),
    p50: median(rounds.map(({ p50 }) => p50)),
    p99: median(rounds.map(({ p99 }) => p99)),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
    requests: median(rounds.map(({ requests }) => requests)),
    cpu: median(rounds.map(({ cpu }) => cpu)),
    rss: Math.max(...rounds.map(({ rss }) => rss)),
  };
}
