import { creationsOf, env } from "@/lib/config/env";
import { perProcess } from "@/lib/config/per-process";
import { statement, write } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { AppError } from "@/lib/errors";
import { RecentMap } from "@/lib/limits/recent-map";

/** Counters: API requests, created groups, and bad credentials. */
type Kind = "requests" | "creations" | "refusals";

const WINDOW_MS = 60_000;
/** The most callers a process counts; the database keeps the others. */
const MAX_COUNTED = 20_000;
/** The most counts of a kind per statement. */
const MAX_SHARED = 1_000;

/**
 * Adds to shared counts, by the database's clock. A past minute restarts at zero; so does one that ends
 * more than a minute from now, written by a wrong clock. The extra second covers a transaction that began later and
 * committed first. Rows are locked in one order, or two instances could deadlock.
 */
const ADD = statement("add_rate_counts")`
  INSERT INTO rate_count AS c (key, points, expire)
  SELECT key, points, (extract(epoch FROM now()) * 1000)::bigint + ${WINDOW_MS}
  FROM unnest($1::text[], $2::int[]) AS added(key, points) ORDER BY key
  ON CONFLICT (key) DO UPDATE SET (points, expire) = (
    SELECT CASE WHEN is_current THEN c.points ELSE 0 END + excluded.points,
      CASE WHEN is_current THEN c.expire ELSE excluded.expire END
    FROM (SELECT c.expire BETWEEN excluded.expire - ${WINDOW_MS - 1} AND excluded.expire + 1000 AS is_current) AS row)
  RETURNING key, points, (expire - extract(epoch FROM now()) * 1000)::int AS ms_left`;

interface SharedCount {
  key: string;
  points: number;
  ms_left: number;
}

/** A caller's use in the current minute: as last shared by all instances, and in this process since. */
interface Use {
  shared: number;
  own: number;
  /** by performance.now(), which is never set */
  endsAt: number;
}

/**
 * A limit per minute across all instances. Requests do not wait for the database: each process counts locally, adds its
 * count to the shared one twice a second, and learns the total. Between two exchanges, instances can exceed the limit.
 * While the database is unavailable, each process applies the limit to its own count.
 */
class RateLimit {
  private readonly uses = new RecentMap<string, Use>(MAX_COUNTED);
  /** end of the last minute in which a caller has reached the limit, as far as this process knows */
  private usedUpUntil = 0;

  constructor(
    private readonly kind: Kind,
    private readonly points: number,
    private readonly message: string,
  ) {}

  /**
   * Counts one use, unless it exceeds the limit.
   * @throws {AppError} `rate_limited`
   */
  spend(who: string) {
    const now = performance.now();
    this.add(who, this.check(who, now), now);
  }

  /** Counts one use after the fact. */
  count(who: string) {
    const now = performance.now();
    this.add(who, this.current(who, now), now);
  }

  /**
   * A caller's use in this minute, if any.
   * @throws {AppError} `rate_limited` when the limit is reached
   */
  check(who: string, now = performance.now()): Use | undefined {
    const use = this.current(who, now);
    if (!use || use.shared + use.own < this.points) return use;
    const seconds = Math.ceil((use.endsAt - now) / 1_000);
    throw new AppError("rate_limited", `${this.message} Try again in ${seconds} s.`, {
      headers: { "Retry-After": String(seconds) },
    });
  }

  /** Whether any caller may have reached the limit: usually none has, and nothing else needs checking. */
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

  /** The local counts of callers, by shared key. */
  *unshared(): Generator<[key: string, count: Unshared]> {
    const now = performance.now();
    let left = MAX_SHARED;
    for (const [who, use] of this.uses) {
      if (use.own === 0 || use.endsAt <= now) continue;
      if (left-- === 0) return;
      yield [`${this.kind}:${who}`, { limit: this, use, own: use.own }];
    }
  }

  /** Adopts a shared count, of which `own` came from here. */
  adopt({ use, own }: Unshared, { points, ms_left }: SharedCount) {
    use.own -= own;
    use.shared = points;
    use.endsAt = performance.now() + ms_left;
    this.notice(use);
  }
}

interface Unshared {
  limit: RateLimit;
  use: Use;
  own: number;
}

/** Adds to counts that all instances share; returns the totals and the time left in their minutes. */
export async function addCounts(counts: { key: string; points: number }[]): Promise<SharedCount[]> {
  if (counts.length === 0) return [];
  const rows = await write<SharedCount>(ADD, [counts.map(({ key }) => key), counts.map(({ points }) => points)]);
  return rows.map((row) => ({ ...row, ms_left: Math.min(row.ms_left, WINDOW_MS) }));
}

/** Deletes the counts of past minutes. */
export async function forgetCounts() {
  const now = "extract(epoch FROM now()) * 1000";
  await purge({ table: "rate_count", where: `expire NOT BETWEEN ${now} AND ${now} + ${2 * WINDOW_MS}` });
}

const limits = () => perProcess("limits", makeLimits);

function makeLimits(): Record<Kind, RateLimit | undefined> {
  const { RATE_LIMIT_REQUESTS, RATE_LIMIT_REFUSALS } = env();
  const creations = creationsOf(RATE_LIMIT_REQUESTS);
  const limit = (kind: Kind, points: number, message: string) =>
    points === 0 ? undefined : new RateLimit(kind, points, message);
  return {
    requests: limit("requests", RATE_LIMIT_REQUESTS, `More than ${RATE_LIMIT_REQUESTS} requests in a minute.`),
    creations: limit("creations", creations, `More than ${creations} new groups in a minute.`),
    refusals: limit("refusals", RATE_LIMIT_REFUSALS, "Too many bad credentials from this address."),
  };
}

/** The limit of this kind; undefined where it is off. */
export function limitOf(kind: Kind): RateLimit | undefined {
  return limits()[kind];
}

/** Shares the counts since the last time with all instances. */
export async function shareCounts() {
  const changed = new Map<string, Unshared>();
  for (const limit of Object.values(limits())) {
    for (const [key, count] of limit?.unshared() ?? []) changed.set(key, count);
  }
  const counts = [...changed].map(([key, { own }]) => ({ key, points: own }));
  for (const shared of await addCounts(counts)) {
    const count = changed.get(shared.key);
    if (count) count.limit.adopt(count, shared);
  }
}
