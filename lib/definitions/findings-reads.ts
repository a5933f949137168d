import { jobPool, type Statement, write } from "@/lib/db/pool";
import type { CheckedGroup } from "@/lib/definitions/findings-check";
import { UNUSED_DAYS } from "@/lib/definitions/findings-schema";
import { CHUNK_BITS } from "@/lib/definitions/findings-stored";
import type { ChunkList } from "@/lib/definitions/findings-writes";
import { MEMBER_BYTES } from "@/lib/store/group-row";

// What the work on findings reads of groups. Each statement takes a fraction of its time limit.

/** Limits of a portion: groups, and bytes of mapping and properties. The first group is in it whatever its size. */
const MOST_GROUPS = 1_000;
const MOST_BYTES = 4_194_304;
/** Groups whose names are compared by one statement, which reads them in the order of their names. */
const NAMES_AT_ONCE = 5_000;
const LAST_NUMBER = 2_147_483_647;

const portion = (condition: string, most: string) => `
    SELECT team_id, mapping, properties FROM (
      SELECT team_id, mapping, properties, sum(${MEMBER_BYTES}) OVER (ORDER BY team_id) - (${MEMBER_BYTES}) AS bytes_before
      FROM user_group WHERE environment_id = $1 AND ${condition} ORDER BY team_id LIMIT ${most}
    ) AS next WHERE bytes_before < ${MOST_BYTES} ORDER BY team_id`;

const READ_AFTER: Statement = { name: "read_checked_groups", text: portion("team_id > $2", "$3") };
const READ_NAMED: Statement = {
  name: "read_changed_groups",
  text: portion("team_id = ANY ($2::int[])", `${MOST_GROUPS}`),
};

const readRows = <Row extends object>(statement: Statement, values: unknown[]) =>
  write<Row>(statement, values, jobPool);

/** The next groups beyond a number, in order; none at the end. */
export function readGroupsAfter(environmentId: number, after: number, most = MOST_GROUPS): Promise<CheckedGroup[]> {
  return readRows<CheckedGroup>(READ_AFTER, [environmentId, after, most]);
}

/** The first of the groups with these numbers, in order; none when none exists. */
export function readNamedGroups(environmentId: number, teamIds: readonly number[]): Promise<CheckedGroup[]> {
  return readRows<CheckedGroup>(READ_NAMED, [environmentId, teamIds]);
}

const READ_EXTENT: Statement = {
  name: "read_group_extent",
  text: `
    SELECT (SELECT count(*)::int FROM (SELECT FROM user_group WHERE environment_id = $1 LIMIT $2) AS counted) AS groups,
      (SELECT team_id FROM user_group WHERE environment_id = $1 ORDER BY team_id LIMIT 1) AS first,
      (SELECT team_id FROM user_group WHERE environment_id = $1 ORDER BY team_id DESC LIMIT 1) AS last`,
};

/** How many groups there are, counted up to `most`, and the first and last number. */
export async function readExtent(
  environmentId: number,
  most: number,
): Promise<{ groups: number; first: number; last: number }> {
  const [row] = await readRows<{ groups: number; first: number | null; last: number | null }>(READ_EXTENT, [
    environmentId,
    most,
  ]);
  return { groups: row?.groups ?? 0, first: row?.first ?? 0, last: row?.last ?? 0 };
}

const READ_UNUSED: Statement = {
  name: "read_unused",
  text: `
    WITH own AS MATERIALIZED (
      SELECT team_id, created_at FROM user_group WHERE environment_id = $1 AND team_id BETWEEN $2 AND $3
    )
    SELECT (SELECT count(*)::int FROM own) AS groups, chunk, "teamIds" FROM (VALUES (true)) AS always LEFT JOIN (
      SELECT own.team_id >> ${CHUNK_BITS} AS chunk, array_agg(own.team_id ORDER BY own.team_id)::text AS "teamIds"
      FROM own JOIN group_use u USING (team_id)
      WHERE created_at < now() - interval '${UNUSED_DAYS} days' AND last_used_at < now() - interval '${UNUSED_DAYS} days'
      GROUP BY 1
    ) AS unused ON true`,
};

/** How many groups the chunks `from` to `to` have, and the unused ones. */
export async function readUnused(
  environmentId: number,
  from: number,
  to: number,
): Promise<{ groups: number; unused: ChunkList[] }> {
  const least = Math.min(from * 2 ** CHUNK_BITS, LAST_NUMBER);
  const most = Math.min((to + 1) * 2 ** CHUNK_BITS - 1, LAST_NUMBER);
  const rows = await readRows<{ groups: number } & (ChunkList | { chunk: null })>(READ_UNUSED, [
    environmentId,
    least,
    most,
  ]);
  return {
    groups: rows[0]?.groups ?? 0,
    unused: rows.flatMap((row) => (row.chunk === null ? [] : { chunk: row.chunk, teamIds: row.teamIds })),
  };
}

/** A group among those whose names are compared: the first, the last, and those with another's name. */
interface NamedGroup {
  name: string;
  team_id: number;
  is_same: boolean;
}

// By user_group_sort_name_idx.
const READ_SAME_NAMES: Statement = {
  name: "read_same_names",
  text: `
    SELECT name, team_id, is_same FROM (
      SELECT name, team_id, row_number() OVER names AS n, count(*) OVER () AS total,
        coalesce(name = lag(name) OVER names, false) OR coalesce(name = lead(name) OVER names, false) AS is_same
      FROM (
        SELECT lower(name) COLLATE "C" AS name, team_id FROM user_group
        WHERE environment_id = $1 AND (lower(name) COLLATE "C", team_id) > ($2, $3)
        ORDER BY lower(name) COLLATE "C", team_id LIMIT ${NAMES_AT_ONCE}
      ) AS next WINDOW names AS (ORDER BY name, team_id)
    ) AS compared WHERE is_same OR n = 1 OR n = total ORDER BY n`,
};

/** The numbers of groups with another group's name, a portion at a time. */
export async function* readSameNames(environmentId: number): AsyncGenerator<number[]> {
  for (let last: NamedGroup = { name: "", team_id: 0, is_same: true }; ; ) {
    const rows: NamedGroup[] = await readRows<NamedGroup>(READ_SAME_NAMES, [environmentId, last.name, last.team_id]);
    const [first] = rows;
    if (!first) return;
    const same = rows.filter(({ is_same }) => is_same).map(({ team_id }) => team_id);
    if (last.team_id > 0 && first.name === last.name) {
      if (!first.is_same) same.push(first.team_id);
      if (!last.is_same) same.push(last.team_id);
    }
    yield same;
    const end = rows.at(-1) ?? first;
    last = { ...end, is_same: end.is_same || (end === first && first.name === last.name) };
  }
}
