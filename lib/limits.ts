import type { QueryConfig } from "pg";
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible";
import { queryOf, sharedPool } from "@/lib/db/pool";
import { env } from "@/lib/env";
import { AppError } from "@/lib/errors";
import { once } from "@/lib/once";

/** What is counted: requests of the API, groups created, and credentials that were no good. */
type Kind = "requests" | "creations" | "refusals";

const WINDOW_SECONDS = 60;
/** Whom one process counts at most: beyond, newcomers are not held to the limit until somebody's minute is over. */
const MOST_COUNTED = 10_000;
/** How many of them have their counts shared at a time. */
const MOST_SHARED = 200;

/** What somebody has used up in the minute that ends then: as all instances together knew, and here since. */
interface Use {
  shared: number;
  own: number;
  endsAt: number;
}

/**
 * A limit by the minute that holds over all instances. Nobody waits for the database: each process counts what it has let
 * through, adds that to the count of all now and then, and hears how far it has come. What instances let through
 * between two such times can exceed the limit. While the database is away each holds its own count to it.
 */
class Limit {
  private readonly uses = new Map<string, Use>();

  constructor(
    private readonly points: number,
    private readonly shared: RateLimiterAbstract,
    private readonly message: string,
  ) {}

  /**
   * Counts one more, unless that is one too many.
   * @throws {AppError} `rate_limited` when it is used up
   */
  spend(who: string, now = Date.now()) {
    this.add(who, this.check(who, now), now);
  }

  /**
   * What somebody has used in this minute, if anything.
   * @throws {AppError} `rate_limited` when it is used up
   */
  check(who: string, now = Date.now()): Use | undefined {
    const use = this.current(who, now);
    if (!use || use.shared + use.own < this.points) return use;
    const seconds = Math.ceil((use.endsAt - now) / 1_000);
    throw new AppError("rate_limited", `${this.message} Try again in ${seconds} s.`, {
      headers: { "Retry-After": String(seconds) },
    });
  }

  count(who: string, now = Date.now()) {
    this.add(who, this.current(who, now), now);
  }

  private current(who: string, now: number): Use | undefined {
    const use = this.uses.get(who);
    return use && use.endsAt > now ? use : undefined;
  }

  private add(who: string, use: Use | undefined, now: number) {
    if (use) use.own++;
    else if (this.uses.has(who) || this.uses.size < MOST_COUNTED) {
      this.uses.set(who, { shared: 0, own: 1, endsAt: now + WINDOW_SECONDS * 1_000 });
    }
  }

  /** Adds what was counted here to the count of all. */
  async share() {
    const now = Date.now();
    for (const [who, { endsAt }] of this.uses) if (endsAt <= now) this.uses.delete(who);
    const changed = [...this.uses].filter(([, { own }]) => own > 0).slice(0, MOST_SHARED);
    for (const [who, use] of changed) {
      const { own } = use;
      const { consumedPoints, msBeforeNext } = await this.shared.penalty(who, own);
      use.own -= own;
      // The insurance knows nothing of what the database had counted before it went away.
      use.shared = Math.max(consumedPoints, use.shared + own);
      use.endsAt = Date.now() + msBeforeNext;
    }
  }
}

const limits = once((): Record<Kind, Limit | undefined> => {
  const { RATE_LIMIT_REQUESTS, RATE_LIMIT_CREATIONS, RATE_LIMIT_REFUSALS } = env();
  return {
    requests: limit("requests", RATE_LIMIT_REQUESTS, `More than ${RATE_LIMIT_REQUESTS} requests in a minute.`),
    creations: limit("creations", RATE_LIMIT_CREATIONS, `More than ${RATE_LIMIT_CREATIONS} new groups in a minute.`),
    refusals: limit("refusals", RATE_LIMIT_REFUSALS, "Too many requests from here had no valid API token."),
  };
});

function limit(keyPrefix: Kind, points: number, message: string): Limit | undefined {
  if (points === 0) return undefined;
  const common = { keyPrefix, points, duration: WINDOW_SECONDS };
  const shared = new RateLimiterPostgres({
    ...common,
    storeClient: {
      query: ({ name = "", ...rest }: QueryConfig) => sharedPool().query(queryOf({ name, ...rest }, rest.values ?? [])),
    },
    storeType: "pool",
    tableName: "rate_count",
    tableCreated: true,
    insuranceLimiter: new RateLimiterMemory(common),
  });
  return new Limit(points, shared, message);
}

/**
 * Counts one more of a kind for somebody, unless that is one too many.
 * @throws {AppError} `rate_limited`
 */
export function spend(kind: Kind, who: string) {
  limits()[kind]?.spend(who);
}

/** Counts one more of a kind for somebody: for what is known only once it has happened. */
export function countUse(kind: Kind, who: string) {
  limits()[kind]?.count(who);
}

/**
 * Holds somebody to a limit without counting this time.
 * @throws {AppError} `rate_limited`
 */
export function checkLimit(kind: Kind, who: string) {
  limits()[kind]?.check(who);
}

/** Lets all instances know what was counted here since the last time. */
export async function shareCounts() {
  for (const limit of Object.values(limits())) await limit?.share();
}
