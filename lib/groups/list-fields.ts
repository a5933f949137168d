import type { List, Row } from "@/lib/groups/list-reader";
import { TOKEN_FIRST_USED_AT } from "@/lib/groups/use";
import { type GroupRow, type ShownState, shownState } from "@/lib/store/group-row";
import { overlapEnd, overlapRuns } from "@/lib/store/previous-token";

/** A group in a list, without its token. */
export interface ListedGroup
  extends Pick<GroupRow, "team_id" | "provided_id" | "name" | "properties" | "access_ends_at" | "version"> {
  mapping: string;
  state: ShownState;
  created_at: Date;
  updated_at: Date;
  rotated_at: Date;
  last_used_at: Date | null;
  first_used_at: Date | null;
  /** of a running overlap */
  previous_valid_until: Date | null;
  previous_last_used_at: Date | null;
}

/** The versions of these groups, in the snapshot in which they were found. */
export async function versionsOf(
  { client, selection }: List,
  rows: Row[],
): Promise<{ team_id: number; version: number }[]> {
  const { rows: groups } = await client.query<{ team_id: number; version: number }>(
    "SELECT team_id, version FROM user_group WHERE environment_id = $1 AND team_id = ANY ($2::int[])",
    [selection.environmentId, rows.map(({ team_id }) => team_id)],
  );
  return groups;
}

/** The fields of these groups, in this order. */
export async function bodiesOf({ client, selection }: List, rows: Row[]): Promise<ListedGroup[]> {
  const { rows: groups } = await client.query<ListedGroup>(
    `SELECT g.team_id, g.provided_id, name, mapping, properties, access_ends_at, created_at, updated_at, rotated_at,
       version, ${shownState("g")} AS state,
       nullif(u.last_used_at, '-infinity') AS last_used_at, ${TOKEN_FIRST_USED_AT} AS first_used_at,
       CASE WHEN p.team_id IS NOT NULL THEN ${overlapEnd("p", "g")} END AS previous_valid_until,
       p.last_used_at AS previous_last_used_at
     FROM user_group g LEFT JOIN group_use u ON u.environment_id = g.environment_id AND u.team_id = g.team_id
       LEFT JOIN previous_token p ON ${overlapRuns("p", "g")}
     WHERE g.environment_id = $1 AND g.team_id = ANY ($2::int[])`,
    [selection.environmentId, rows.map(({ team_id }) => team_id)],
  );
  const byNumber = new Map(groups.map((group) => [group.team_id, group]));
  return rows.flatMap(({ team_id }) => byNumber.get(team_id) ?? []);
}
