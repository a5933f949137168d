import type { Author } from "@/lib/db/authority";
import { read, type Statement } from "@/lib/db/pool";
import { noSuchGroup } from "@/lib/groups/reveal";
import { GROUP_COLUMNS, type GroupRow } from "@/lib/store/group-row";

/** The author of a group's change, from the history. */
export interface Change {
  action: string;
  actor_type: Author["actorType"];
  actor_id: string | null;
  actor_name: string;
  at: string;
}

export interface DetailRow extends GroupRow {
  mapping: string;
  created_at: Date;
  updated_at: Date;
  rotated_at: Date;
  last_used_at: Date | null;
  last_change: Change | null;
  last_token: Change | null;
}

const last = (what: string) => `(
  SELECT json_build_object('action', action, 'actor_type', actor_type, 'actor_id', actor_id, 'actor_name', actor_name, 'at', at)
  FROM audit_entry a WHERE a.team_id = g.team_id AND ${what} ORDER BY a.id DESC LIMIT 1
)`;

const GROUP_DETAIL: Statement = {
  name: "group_detail",
  text: `
    SELECT ${GROUP_COLUMNS}, mapping, created_at, updated_at, rotated_at,
      (SELECT nullif(u.last_used_at, '-infinity') FROM group_use u
       WHERE u.environment_id = g.environment_id AND u.team_id = g.team_id) AS last_used_at,
      ${last("a.action NOT IN ('user_group.token_revealed', 'user_group.token_copied')")} AS last_change,
      ${last("a.action IN ('user_group.created', 'user_group.token_rotated')")} AS last_token
    FROM user_group g WHERE environment_id = $1 AND team_id = $2`,
};

/**
 * A group of the environment, with the authors of its last change and of its token.
 * @throws {AppError} `not_found`
 */
export async function findGroupDetail(environmentId: number, teamId: number): Promise<DetailRow> {
  const [row] = await read<DetailRow>(GROUP_DETAIL, [environmentId, teamId]);
  return row ?? noSuchGroup();
}
