import type { ClientBase } from "pg";

/** When a made-up group seems to have been created, changed and last used; `usedAt` is -infinity for never. */
export interface Past {
  teamId: number;
  createdAt: Date;
  updatedAt: Date;
  usedAt: string;
}

/** Gives groups that were created just now a past. */
export async function backdateGroups(client: ClientBase, groups: Past[]) {
  const columns = [
    groups.map(({ teamId }) => teamId),
    groups.map(({ createdAt }) => createdAt),
    groups.map(({ updatedAt }) => updatedAt),
    groups.map(({ usedAt }) => usedAt),
  ];
  const past = "unnest($1::int[], $2::timestamptz[], $3::timestamptz[]) AS past(team_id, created_at, updated_at)";
  await client.query(
    `UPDATE user_group g SET created_at = past.created_at, updated_at = past.updated_at, rotated_at = past.created_at
     FROM ${past} WHERE g.team_id = past.team_id`,
    columns.slice(0, 3),
  );
  await client.query(
    `UPDATE group_use u SET last_used_at = past.used_at
     FROM unnest($1::int[], $2::timestamptz[]) AS past(team_id, used_at) WHERE u.team_id = past.team_id`,
    [columns[0], columns[3]],
  );
}
