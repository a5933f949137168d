import type pg from "pg";
import { queryOf, read, type Statement } from "@/lib/db/pool";

// Many groups by their ids, for batches.

/** A group as a batch compares it. */
export interface SetGroup {
  provided_id: string;
  team_id: number;
  version: number;
  name: string;
  mapping: string;
  properties: string | null;
  /** milliseconds since 1970; null for never */
  ends_at: number | null;
}

const FIND = `
  SELECT provided_id, team_id, version, name, mapping, properties, (extract(epoch FROM access_ends_at) * 1000)::float8 AS ends_at
  FROM user_group
  WHERE environment_id = $1 AND provided_id = ANY ($2)`;

const FIND_GROUPS: Statement = { name: "find_groups", text: FIND };
/** In the order of all statements that lock several groups, so that none can deadlock with another. */
const LOCK_GROUPS: Statement = { name: "lock_groups", text: `${FIND} ORDER BY team_id FOR UPDATE` };

/** The groups with these ids. */
export function findGroups(environmentId: number, providedIds: string[]): Promise<SetGroup[]> {
  return read<SetGroup>(FIND_GROUPS, [environmentId, providedIds]);
}

/** Locks the groups with these ids until the transaction of `client` ends, and reads them. */
export async function lockGroups(
  environmentId: number,
  providedIds: string[],
  client: pg.ClientBase,
): Promise<SetGroup[]> {
  return (await client.query<SetGroup>(queryOf(LOCK_GROUPS, [environmentId, providedIds]))).rows;
}

const LOCK_VERSIONS: Statement = {
  name: "lock_group_versions",
  text: `
    SELECT team_id, version FROM user_group WHERE environment_id = $1 AND team_id = ANY ($2) ORDER BY team_id FOR UPDATE`,
};

/** Locks groups by number until the transaction of `client` ends; returns the version of each that exists. */
export async function lockVersions(
  environmentId: number,
  teamIds: number[],
  client: pg.ClientBase,
): Promise<Map<number, number>> {
  const { rows } = await client.query<{ team_id: number; version: number }>(
    queryOf(LOCK_VERSIONS, [environmentId, teamIds]),
  );
  return new Map(rows.map(({ team_id, version }) => [team_id, version]));
}
