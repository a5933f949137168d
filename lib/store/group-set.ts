import type pg from "pg";
import { query, read, statement } from "@/lib/db/pool";
import { LARGEST_NUMBER } from "@/lib/json/query-fields";
import type { GroupRow } from "@/lib/store/group-row";

// Groups by their ids, as merges, batches and jobs compare them.

/** The fields of a group that a change is compared with. */
export interface SetGroup
  extends Pick<GroupRow, "provided_id" | "team_id" | "version" | "name" | "properties" | "state"> {
  mapping: string;
  /** milliseconds since 1970; null for never */
  ends_at: number | null;
  /** whether it lists the origins of its embedding pages itself */
  has_origins: boolean;
}

const SELECT = `
  SELECT provided_id, team_id, version, name, mapping, properties, state,
    (extract(epoch FROM access_ends_at) * 1000)::float8 AS ends_at,
    allowed_origins IS NOT NULL AS has_origins
  FROM user_group WHERE environment_id = $1`;
const FIND = `${SELECT} AND provided_id = ANY ($2)`;

const FIND_GROUPS = statement("find_groups")`${FIND}`;
/** All statements that lock several groups use this order, so that they cannot deadlock. */
const LOCK_GROUPS = statement("lock_groups")`${FIND} ORDER BY team_id FOR UPDATE`;

/** The groups with these ids, in `client`'s transaction if given. */
export function findGroups(environmentId: number, providedIds: string[], client?: pg.ClientBase) {
  const values = [environmentId, providedIds];
  return client ? query<SetGroup>(client, FIND_GROUPS, values) : read<SetGroup>(FIND_GROUPS, values);
}

const FIND_BY_NUMBER = statement("find_groups_by_number")`${SELECT} AND team_id = ANY ($2) ORDER BY team_id`;

/** The groups with these numbers, in their order, in `client`'s transaction if given. */
export function findGroupsByNumber(environmentId: number, teamIds: number[], client?: pg.ClientBase) {
  const values = [environmentId, teamIds];
  return client ? query<SetGroup>(client, FIND_BY_NUMBER, values) : read<SetGroup>(FIND_BY_NUMBER, values);
}

/** Locks the groups with these ids until the transaction of `client` ends, and reads them. */
export function lockGroups(environmentId: number, providedIds: string[], client: pg.ClientBase) {
  return query<SetGroup>(client, LOCK_GROUPS, [environmentId, providedIds]);
}

const LOCK_VERSIONS = statement("lock_group_versions")`
  SELECT team_id, version FROM user_group WHERE environment_id = $1 AND team_id = ANY ($2) ORDER BY team_id FOR UPDATE`;

/** Locks groups by number until the transaction of `client` ends; returns the version of each that exists. */
export async function lockVersions(environmentId: number, teamIds: number[], client: pg.ClientBase) {
  const rows = await query<{ team_id: number; version: number }>(client, LOCK_VERSIONS, [environmentId, teamIds]);
  return new Map(rows.map(({ team_id, version }) => [team_id, version]));
}

// Small pages: a group has up to 128 KiB.
const READ_MEMBERS = statement("read_members")`
  SELECT team_id, mapping, properties FROM user_group
  WHERE environment_id = $1 AND team_id < $2 ORDER BY team_id DESC LIMIT 50`;

/** The members of an environment's newest groups, up to a number of groups and of characters. */
export async function readMembers(environmentId: number, most: { groups: number; characters: number }) {
  type Member = Pick<SetGroup, "team_id" | "mapping" | "properties">;
  const found: Member[] = [];
  let characters = 0;
  for (let before = LARGEST_NUMBER; found.length < most.groups && characters < most.characters; ) {
    const rows = await read<Member>(READ_MEMBERS, [environmentId, before]);
    const last = rows.at(-1);
    if (!last) break;
    before = last.team_id;
    for (const { mapping, properties } of rows) characters += mapping.length + (properties?.length ?? 0);
    found.push(...rows);
  }
  return found;
}
