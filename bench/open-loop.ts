import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { median } from "../e2e/fixtures/statistics";
import type { Server } from "./load";
import type { Stage } from "./stage";
import type { Kept, Timetable } from "./timetable";

/** The result of GET existing at one rate. */
export interface OpenResult {
  /** share of our closed-loop throughput */
  share: number;
  /** requests per second */
  rate: number;
  /** the medians of the rounds; of errors the sum */
  contenders: Record<string, Kept>;
}

interface OpenLoopOptions {
  servers: Server[];
  shares: number[];
  /** our closed-loop throughput, in requests per second */
  most: number;
  rounds: number;
  seconds: number;
  atEnd: Stage["atEnd"];
}

/** Sends GET existing on a timetable to each server in turn, in reverse order every other round, at the same rate. */
export async function* measureOpenLoop(options: OpenLoopOptions): AsyncGenerator<OpenResult> {
  const { servers, shares, most, rounds, seconds, atEnd } = options;
  const keep = startGenerator(atEnd);
  for (const share of shares) {
    const rate = Math.round(most * share);
    const kept = new Map<string, Kept[]>(servers.map(({ name }) => [name, []]));
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
        const one = await keep({ server, rate, seconds });
        if (round > 0) kept.get(server.name)?.push(one);
      }
    }
    const contenders = Object.fromEntries([...kept].map(([name, rounds]) => [name, summarize(rounds)]));
    yield { share, rate, contenders };
  }
}

/** Starts the generator's process, which stays warm between timetables. */
function startGenerator(atEnd: Stage["atEnd"]): (timetable: Timetable) => Promise<Kept> {
  const generator = fork(path.join(import.meta.dirname, "timetable.ts"), { execArgv: ["--import", "tsx"] });
  atEnd(() => generator.kill());
  const ended = once(generator, "exit").then(([code]) => {
    throw new Error(`the generator exited with ${code}`);
  });
  return async (timetable) => {
    const kept = once(generator, "message");
    generator.send(timetable);
    const [message] = await Promise.race([kept, ended]);
    return message;
  };
}

function summarize(rounds: Kept[]): Kept {
  const middle = (pick: (kept: Kept) => number) => median(rounds.map(pick));
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    lag: middle(({ lag }) => lag),
    errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
  };
}
