import type { PoolClient } from "pg";
import { perProcess } from "@/lib/config/per-process";
import { VIEWER_KEY_BYTES } from "@/lib/crypto/viewer-key";
import { query, statement, transaction } from "@/lib/db/pool";
import {
  addingDays,
  COUNTED,
  COUNTED_WITH_VIEWERS,
  type Count,
  DeferredCounts,
  DeferredNotes,
} from "@/lib/limits/deferred";
import { RecentMap } from "@/lib/limits/recent-map";
import type { GroupRow } from "@/lib/store/group-row";
import { RECORD_PREVIOUS_USE } from "@/lib/store/previous-token";

/** In place of a keyed hash, for a view by viewer token: such a view uses the group, but not its token. */
const NO_TOKEN = Buffer.alloc(0);

/** Uses of one group's token. */
interface Use {
  environmentId: number;
  /** the last one, by performance.now() */
  at: number;
  /** the first one of this token */
  first: number;
  /** the keyed hash of the token */
  tokenIndex: Buffer;
}

// A use within a minute of the stored one is not stored, unless it is the current token's first. The keyed hash says
// which token was used, and first_used_of which token the stored first use belongs to, so neither clocks nor a
// concurrent rotation can confuse two tokens. Rows that another instance is writing are skipped: it stores the same.
const RECORD_USE = statement("record_group_use")`
  WITH due AS (
    SELECT u.team_id, seen.at, u.first_of, greatest(seen.first_at, u.first_of) AS first_at
    FROM (SELECT id, environment_id, token_index, now() - age * interval '1 millisecond' AS at,
            now() - first_age * interval '1 millisecond' AS first_at
          FROM unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::bytea[])
            AS q(id, environment_id, age, first_age, token_index)) AS seen
    CROSS JOIN LATERAL (
      SELECT u.team_id, g.rotated_at AS first_of
      FROM group_use u LEFT JOIN user_group g ON g.environment_id = u.environment_id AND g.team_id = u.team_id
        AND g.token_index = seen.token_index
        AND (u.first_used_of IS DISTINCT FROM g.rotated_at OR seen.first_at < u.first_used_at)
      WHERE u.environment_id = seen.environment_id AND u.team_id = seen.id
        AND (u.last_used_at < seen.at - interval '1 minute' OR g.team_id IS NOT NULL)
      FOR UPDATE OF u SKIP LOCKED
    ) AS u
  )
  UPDATE group_use u SET last_used_at = greatest(u.last_used_at, due.at),
    first_used_of = coalesce(due.first_of, u.first_used_of, '-infinity'),
    first_used_at = CASE WHEN due.first_of IS NULL THEN u.first_used_at
      WHEN u.first_used_of IS NULL AND u.last_used_at >= due.first_of THEN u.last_used_at
      ELSE due.first_at END
  FROM due WHERE u.team_id = due.team_id`;

const uses = perProcess(
  "last use of groups",
  () =>
    new DeferredNotes<Use>({
      statement: RECORD_USE,
      rest: (notes, now) => [
        notes.map(({ first }) => Math.round(now - first)),
        notes.map(({ tokenIndex }) => tokenIndex),
      ],
      merge(earlier, later) {
        const isSame = later.tokenIndex === NO_TOKEN || earlier.tokenIndex.equals(later.tokenIndex);
        Object.assign(earlier, later, isSame && { first: earlier.first, tokenIndex: earlier.tokenIndex });
      },
    }),
);

const previousUses = perProcess(
  "last use of previous tokens",
  () =>
    new DeferredNotes<{ environmentId: number; at: number; tokenIndex: Buffer }>({
      statement: RECORD_PREVIOUS_USE,
      rest: (notes) => [notes.map(({ tokenIndex }) => tokenIndex)],
      merge: (earlier, later) => Object.assign(earlier, later),
    }),
);

/** The first use of the current token, given rows g of user_group and u of group_use. 0.9.0 kept only the last use. */
export const TOKEN_FIRST_USED_AT = `CASE WHEN u.first_used_of = g.rotated_at THEN u.first_used_at
  WHEN u.first_used_of IS NULL AND u.last_used_at >= g.rotated_at THEN u.last_used_at END`;

// An erasure takes this lock too, so that the next statement does not find an erased group.
const LOCK = statement("lock_group_use")`SELECT pg_advisory_xact_lock_shared(hashtext('group_use_month'))`;

const BINARY_LOGARITHM = (count: string) => `floor(ln((${count})::float8) / ln(2::float8) + 1e-12)`;

// An inserted row's `days` end with the counted day. Only viewers with new hashes are added to active_viewers.
const ADD_TO_GROUPS = statement("add_group_use")`
  WITH counted AS MATERIALIZED (
    SELECT q.* FROM (${COUNTED_WITH_VIEWERS}) AS q
    JOIN group_use u ON u.environment_id = q.environment_id AND u.team_id = q.id
  ), hashed AS (
    INSERT INTO active_viewer (month, team_id, viewer)
    SELECT month, id, substring(viewers FROM at FOR ${VIEWER_KEY_BYTES})
    FROM counted, generate_series(1, length(viewers), ${VIEWER_KEY_BYTES}) AS at ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING RETURNING month, team_id
  ), active AS (
    SELECT month, team_id AS id, count(*)::int AS viewers FROM hashed GROUP BY month, team_id
  )
  INSERT INTO group_use_month AS m (month, team_id, environment_id, checks, size, days, active_viewers)
  SELECT month, id, environment_id, count, ${BINARY_LOGARITHM("count")}, array_fill(0, ARRAY[day - 1]) || count,
    coalesce(active.viewers, 0)
  FROM counted LEFT JOIN active USING (month, id)
  ORDER BY month, id
  ON CONFLICT (month, team_id) DO UPDATE SET checks = m.checks + excluded.checks,
    active_viewers = m.active_viewers + excluded.active_viewers,
    size = ${BINARY_LOGARITHM("m.checks + excluded.checks")},
    days[cardinality(excluded.days)]
      = least(coalesce(m.days[cardinality(excluded.days)], 0) + excluded.checks, 2147483647)::int`;

const CHECKS_COUNTED = `SELECT c.* FROM (${COUNTED}) AS c JOIN environment e ON e.id = c.environment_id`;
const ADD_TO_ENVIRONMENTS = statement("add_environment_use")`
  ${addingDays("environment_use_month", "environment_id", CHECKS_COUNTED)}`;

/** The viewer_keys of a count, one after the other. */
const keysOfViewers = ({ viewers }: Count) =>
  Buffer.concat([...(viewers ?? [])].map((key) => Buffer.from(key, "base64url")));

const checks = perProcess(
  "checks of groups",
  () =>
    new DeferredCounts((columns, counts) =>
      transaction(async (client) => {
        await query(client, LOCK, []);
        await query(client, ADD_TO_GROUPS, [...columns, counts.map(keysOfViewers)]);
        // Last, as instances wait for each other here.
        await query(client, ADD_TO_ENVIRONMENTS, columns);
      }),
    ),
);

/**
 * How long a noted use covers later ones, in milliseconds: with 10,000 groups used per second, the statement would
 * otherwise read them all each second.
 */
const RECENT_MS = 10_000;
const MAX_RECENT = 50_000;
const recent = new RecentMap<string, number>(MAX_RECENT);

function isRecent(use: string, at: number): boolean {
  if (at - (recent.get(use) ?? Number.NEGATIVE_INFINITY) < RECENT_MS) return true;
  recent.set(use, at);
  return false;
}

/**
 * Notes a view of the group, and counts it, with its viewer_key, if the group is active. A view by user group token is
 * also a use of that token.
 */
export function noteUse(group: GroupRow, isByToken: boolean, viewer?: string) {
  const { team_id: teamId, environment_id: environmentId, version, token_index, previous, state, hasEnded } = group;
  if (state === "active" && !hasEnded) checks.count(teamId, environmentId, viewer);
  const at = performance.now();
  // A rotation changes the version.
  if (isRecent(`${teamId} ${version} ${isByToken && (previous ? "previous" : "current")}`, at)) return;
  if (isByToken && previous) previousUses.add(teamId, { environmentId, at, tokenIndex: previous.tokenIndex });
  else uses.add(teamId, { environmentId, at, first: at, tokenIndex: isByToken ? token_index : NO_TOKEN });
}

/** Stores when the tokens of groups were used, and how often; the `last` time without waiting for more. */
export async function recordGroupUse(last = false): Promise<void> {
  await Promise.all([uses.record(), previousUses.record(), checks.record(last)]);
}

const FIND_USED = statement("find_used_groups")`
  SELECT team_id FROM group_use WHERE team_id = ANY ($1) AND last_used_at > coalesce($2::timestamptz, '-infinity')`;

/** The numbers of those of these groups that were used, ever or since a time. */
export async function findUsed(client: PoolClient, teamIds: number[], since?: Date): Promise<Set<number>> {
  const rows = await query<{ team_id: number }>(client, FIND_USED, [teamIds, since]);
  return new Set(rows.map(({ team_id }) => team_id));
}
