import { env } from "@/lib/config/env";
import { perProcess } from "@/lib/config/per-process";
import { type Statement, write } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { RecentMap } from "@/lib/db/recent-map";
import { AppError } from "@/lib/errors";

/** What is counted: API requests, groups created, and bad credentials. */
type Kind = "requests" | "creations" | "refusals";

const WINDOW_MS = 60_000;
/** How many callers a process keeps a count for; the database remembers the others. */
const MOST_COUNTED = 20_000;
/** How many counts one statement shares. */
const MOST_SHARED = 1_000;

/**
 * Adds to shared counts, by the database's clock. A row whose minute has passed counts from zero again; so does one that ends
 * later than a minute from now, which a wrong clock has written. The second of grace covers a transaction that began later and
 * committed first. Rows are locked in one order, or two instances could deadlock.
 */
const ADD: Statement = {
  name: "add_rate_counts",
  text: `
    INSERT INTO rate_count AS c (key, points, expire)
    SELECT key, points, (extract(epoch FROM now()) * 1000)::bigint + ${WINDOW_MS}
    FROM unnest($1::text[], $2::int[]) AS added(key, points) ORDER BY key
    ON CONFLICT (key) DO UPDATE SET (points, expire) = (
      SELECT CASE WHEN is_current THEN c.points ELSE 0 END + excluded.points,
        CASE WHEN is_current THEN c.expire ELSE excluded.expire END
      FROM (SELECT c.expire BETWEEN excluded.expire - ${WINDOW_MS - 1} AND excluded.expire + 1000 AS is_current) AS row)
    RETURNING key, points, (expire - extract(epoch FROM now()) * 1000)::int AS ms_left`,
};

interface SharedCount {
  key: string;
  points: number;
  ms_left: number;
}

/** What one caller has used up in the current minute: as all instances together knew, and here since. */
interface Use {
  shared: number;
  own: number;
  /** by the clock of performance.now(), which nobody sets */
  endsAt: number;
}

/**
 * A limit by the minute over all instances. Requests do not wait for the database: each process counts what it lets through, adds
 * that to the shared count twice a second and learns the total. What instances let through between two such exchanges can exceed
 * the limit. While the database is away, each process holds its own count to it.
 */
class Limit {
  private readonly uses = new RecentMap<string, Use>(MOST_COUNTED);
  /** when the last minute ends in which a caller has used up the limit, as far as this process knows */
  private usedUpUntil = 0;

  constructor(
    private readonly kind: Kind,
    private readonly points: number,
    private readonly message: string,
  ) {}

  /**
   * Counts one more, unless that is one too many.
   * @throws {AppError} `rate_limited` when the limit is used up
   */
  spend(who: string) {
    const now = performance.now();
    this.add(who, this.check(who, now), now);
  }

  count(who: string) {
    const now = performance.now();
    this.add(who, this.current(who, now), now);
  }

  /**
   * What a caller has used in this minute, if anything.
   * @throws {AppError} `rate_limited` when the limit is used up
   */
  check(who: string, now = performance.now()): Use | undefined {
    const use = this.current(who, now);
    if (!use || use.shared + use.own < this.points) return use;
    const seconds = Math.ceil((use.endsAt - now) / 1_000);
    throw new AppError("rate_limited", `${this.message} Try again in ${seconds} s.`, {
      headers: { "Retry-After": String(seconds) },
    });
  }

  /** Whether any caller may have used the limit up: as a rule none has, and nothing else need be looked at. */
  isInForce(): boolean {
    return this.usedUpUntil !== 0 && this.usedUpUntil > performance.now();
  }

  private current(who: string, now: number): Use | undefined {
    const use = this.uses.get(who);
    return use && use.endsAt > now ? use : undefined;
  }

  private add(who: string, known: Use | undefined, now: number) {
    const use = known ?? { shared: 0, own: 0, endsAt: now + WINDOW_MS };
    use.own++;
    if (!known) this.uses.set(who, use);
    this.notice(use);
  }

  private notice({ shared, own, endsAt }: Use) {
    if (shared + own >= this.points && endsAt > this.usedUpUntil) this.usedUpUntil = endsAt;
  }

  /** Adds what was counted here to the counts of all, and takes over theirs. */
  async share() {
    const now = performance.now();
    const changed = new Map<string, { use: Use; own: number }>();
    for (const [who, use] of this.uses) {
      if (use.own > 0 && use.endsAt > now) changed.set(`${this.kind}:${who}`, { use, own: use.own });
      if (changed.size === MOST_SHARED) break;
    }
    const counts = [...changed].map(([key, { own }]) => ({ key, points: own }));
    for (const { key, points, ms_left } of await addCounts(counts)) {
      const { use, own } = changed.get(key) ?? {};
      if (!use || !own) continue;
      use.own -= own;
      use.shared = points;
      use.endsAt = performance.now() + ms_left;
      this.notice(use);
    }
  }
}

/** Adds to counts that all instances share; gives what each has come to and how long its minute still lasts. */
export async function addCounts(counts: { key: string; points: number }[]): Promise<SharedCount[]> {
  if (counts.length === 0) return [];
  const rows = await write<SharedCount>(ADD, [counts.map(({ key }) => key), counts.map(({ points }) => points)]);
  return rows.map((row) => ({ ...row, ms_left: Math.min(row.ms_left, WINDOW_MS) }));
}

/** Deletes the counts of minutes that have passed. */
export async function forgetCounts() {
  const now = "extract(epoch FROM now()) * 1000";
  await purge({ table: "rate_count", where: `expire NOT BETWEEN ${now} AND ${now} + ${2 * WINDOW_MS}` });
}

const limits = () => perProcess("limits", makeLimits);

function makeLimits(): Record<Kind, Limit | undefined> {
  const { RATE_LIMIT_REQUESTS, RATE_LIMIT_CREATIONS, RATE_LIMIT_REFUSALS } = env();
  const limit = (kind: Kind, points: number, message: string) =>
    points === 0 ? undefined : new Limit(kind, points, message);
  return {
    requests: limit("requests", RATE_LIMIT_REQUESTS, `More than ${RATE_LIMIT_REQUESTS} requests in a minute.`),
    creations: limit("creations", RATE_LIMIT_CREATIONS, `More than ${RATE_LIMIT_CREATIONS} new groups in a minute.`),
    refusals: limit("refusals", RATE_LIMIT_REFUSALS, "Too many bad credentials came from this address."),
  };
}

/**
 * Counts one more of a kind for a caller, unless that is one too many.
 * @throws {AppError} `rate_limited`
 */
export function spend(kind: Kind, who: string) {
  limits()[kind]?.spend(who);
}

/** Counts one more of a kind for a caller: for what is known only once it has happened. */
export function countUse(kind: Kind, who: string) {
  limits()[kind]?.count(who);
}

/**
 * Holds a caller to a limit without counting this time.
 * @throws {AppError} `rate_limited`
 */
export function checkLimit(kind: Kind, who: string) {
  limits()[kind]?.check(who);
}

/** Whether any caller may have used up this limit. */
export function isInForce(kind: Kind): boolean {
  return limits()[kind]?.isInForce() ?? false;
}

/** Lets all instances know what was counted here since the last time. */
export async function shareCounts() {
  for (const limit of Object.values(limits())) await limit?.share();
}
