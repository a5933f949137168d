import { perProcess } from "@/lib/config/per-process";
import { LastUse } from "@/lib/db/last-use";
import type { GroupRow } from "@/lib/store/group-row";

// A use within a minute of the stored one is not stored, unless a rotation lies between: the first use of a new token is
// awaited. Rows that another instance is writing are skipped: it stores the same.
const lastUse = perProcess(
  "last use of groups",
  () =>
    new LastUse({
      name: "record_group_use",
      text: `
    WITH due AS (
      SELECT u.team_id, seen.at
      FROM (SELECT id, environment_id, now() - age * interval '1 millisecond' AS at
            FROM unnest($1::int[], $2::int[], $3::int[]) AS q(id, environment_id, age)) AS seen
      CROSS JOIN LATERAL (
        SELECT team_id FROM group_use u
        WHERE environment_id = seen.environment_id AND team_id = seen.id AND (
          last_used_at < seen.at - interval '1 minute'
          OR (SELECT u.last_used_at < g.rotated_at AND g.rotated_at <= seen.at FROM user_group g
              WHERE g.environment_id = u.environment_id AND g.team_id = u.team_id))
        FOR UPDATE OF u SKIP LOCKED
      ) AS u
    )
    UPDATE group_use u SET last_used_at = due.at FROM due WHERE u.team_id = due.team_id`,
    }),
);

/** How long a noted use covers later ones, in milliseconds: with many views a second, the database need not be asked each time. */
const RECENT_MS = 10_000;
const MOST_RECENT = 50_000;
const recent = new Map<number, { version: number; at: number }>();

/** Whether a use of this version of the group was noted recently; a rotation changes the version. */
function isRecent({ team_id, version }: GroupRow): boolean {
  const at = performance.now();
  const last = recent.get(team_id);
  if (last && last.version === version && at - last.at < RECENT_MS) return true;
  if (!last && recent.size >= MOST_RECENT) recent.clear();
  recent.set(team_id, { version, at });
  return false;
}

/** Notes a use of the token that found this group, and returns the group. */
export function noteUse(group: GroupRow | undefined): GroupRow | undefined {
  if (group && !isRecent(group)) lastUse.note(group.team_id, group.environment_id);
  return group;
}

/** Stores when the tokens of groups were last used. */
export function recordGroupUse(): Promise<void> {
  return lastUse.record();
}
