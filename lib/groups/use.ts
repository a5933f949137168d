import { perProcess } from "@/lib/config/per-process";
import { LastUse } from "@/lib/db/last-use";
import type { GroupRow } from "@/lib/store/group-row";

// A use within a minute of the one that is written down is as good as that one, unless a rotation lies between them: the first use
// of a new token is one that somebody waits for. Rows that another instance writes just now are passed over: it writes as much.
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

/** How long a use that was noted here stands for those that follow, in milliseconds: with many views a second the database need not be asked about each. */
const RECENT_MS = 10_000;
const MOST_RECENT = 50_000;
const recent = new Map<number, { version: number; at: number }>();

/** Whether the use of this very state of the group was noted a moment ago; a rotation makes another state. */
function isRecent({ team_id, version }: GroupRow): boolean {
  const at = performance.now();
  const last = recent.get(team_id);
  if (last && last.version === version && at - last.at < RECENT_MS) return true;
  if (!last && recent.size >= MOST_RECENT) recent.clear();
  recent.set(team_id, { version, at });
  return false;
}

/** Notes that the token of a group that was found by it has been used, and gives the group on. */
export function noteUse(group: GroupRow | undefined): GroupRow | undefined {
  if (group && !isRecent(group)) lastUse.note(group.team_id, group.environment_id);
  return group;
}

/** Writes down when the tokens of groups were last used. */
export function recordGroupUse(): Promise<void> {
  return lastUse.record();
}
