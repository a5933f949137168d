import type pg from "pg";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { readText, statement, write, writeText } from "@/lib/db/pool";
import { LARGEST_BATCH, sharingStatements } from "@/lib/db/share-statements";
import { forViewerToken, type GroupRow, timeText } from "@/lib/store/group-row";

// A rotation with an overlap leaves the replaced token valid for a while. A token is looked up here only if it is not a
// group's current one.

/** When the overlap of row `p` of previous_token ends for its group: as planned, or earlier with the group's access. */
export const overlapEnd = (p: string, g: string) => `least(${p}.valid_until, ${g}.access_ends_at)`;

/** Whether the token of `p` still identifies its group, by the database's clock. */
export const overlapRuns = (p: string, g: string) =>
  `${p}.team_id = ${g}.team_id AND ${p}.replaced_at = ${g}.rotated_at AND ${overlapEnd(p, g)} > now()`;

/** Whether a group's token before the current one is still valid. */
export const isOverlapping = (g: string) => `EXISTS (SELECT FROM previous_token p WHERE ${overlapRuns("p", g)})`;

/** The last use of the token that is being replaced, as far as it is stored. */
const LAST_USE =
  "(SELECT u.last_used_at FROM group_use u WHERE u.team_id = was.team_id AND u.last_used_at >= was.rotated_at)";

/**
 * The parts of a rotation that store the replaced tokens of `was` where `changed` has an overlap, as `kept`, and delete
 * earlier previous tokens where it has none.
 */
export const keptPrevious = `forgotten AS (
      DELETE FROM previous_token p USING changed WHERE p.team_id = changed.team_id AND changed.overlap_seconds = 0
    ), kept AS (
      INSERT INTO previous_token (team_id, environment_id, provided_id, token_index, token_sealed, replaced_at,
        valid_until, last_used_at)
      SELECT was.team_id, was.environment_id, was.provided_id, was.token_index, was.token_sealed, changed.rotated_at,
        changed.rotated_at + changed.overlap_seconds * interval '1 second', ${LAST_USE}
      FROM changed JOIN was USING (n) WHERE changed.overlap_seconds > 0
      ON CONFLICT (team_id) DO UPDATE SET provided_id = excluded.provided_id, token_index = excluded.token_index,
        token_sealed = excluded.token_sealed, replaced_at = excluded.replaced_at, valid_until = excluded.valid_until,
        last_used_at = excluded.last_used_at
      RETURNING team_id, valid_until
    )`;

const FOUND = forViewerToken("q.viewer");
// A group whose access has ended is found too: renderers learn why its tokens are not served.
const FIND = statement("find_group_by_previous_token")`
  SELECT q.n, (extract(epoch FROM ${overlapEnd("p", "g")}) * 1000)::bigint, ${FOUND.columns}
  FROM unnest($1::int[], $2::bytea[], $3::bytea[]) WITH ORDINALITY AS q(environment_id, token_index, viewer, n)
  JOIN LATERAL (SELECT * FROM previous_token
    WHERE token_index = q.token_index OFFSET 0) AS p ON p.environment_id = q.environment_id
  JOIN user_group g ON g.team_id = p.team_id
  WHERE p.replaced_at = g.rotated_at AND p.valid_until > now()`;

interface Key {
  environmentId: number;
  tokenIndex: Buffer;
  viewer: Buffer | undefined;
}

const finds = sharingStatements<Key, GroupRow | undefined>(LARGEST_BATCH, (keys) => findAll(keys));

async function findAll(keys: readonly Key[], client?: pg.ClientBase): Promise<(GroupRow | undefined)[]> {
  const values = [
    keys.map(({ environmentId }) => environmentId),
    keys.map(({ tokenIndex }) => tokenIndex),
    keys.map(({ viewer }) => viewer),
  ];
  const rows = client ? await writeText(FIND, values, client) : await readText(FIND, values);
  const found = new Array<GroupRow | undefined>(keys.length).fill(undefined);
  for (const row of rows) {
    const at = Number(row[0]) - 1;
    const key = keys[at];
    if (!key) continue;
    const group = FOUND.read(key.environmentId, row, 2);
    group.previous = { tokenIndex: key.tokenIndex, validUntil: new Date(Number(row[1])) };
    found[at] = group;
  }
  return found;
}

/**
 * The group that this token identified before its current one, while their overlap lasts; `tokenIndexes` are the
 * token's keyed hashes, and `viewer` is a viewer's. Concurrent calls share a statement, except on `client`.
 */
export async function findByPrevious(
  environmentId: number,
  tokenIndexes: Buffer[],
  { client, viewer }: { client?: pg.ClientBase | undefined; viewer?: Buffer | undefined } = {},
): Promise<GroupRow | undefined> {
  for (const tokenIndex of tokenIndexes) {
    const key = { environmentId, tokenIndex, viewer };
    const group = client ? (await findAll([key], client))[0] : await finds(key);
    if (group) return group;
  }
  return undefined;
}

const FIND_OVERLAPPING = statement("find_overlapping")`
  SELECT g.team_id FROM user_group g JOIN previous_token p ON ${overlapRuns("p", "g")}
  WHERE g.team_id = ANY ($1::int[])`;

/** The numbers of these groups with a running overlap. */
export async function findOverlapping(teamIds: number[]): Promise<Set<number>> {
  const rows = await readText(FIND_OVERLAPPING, [teamIds]);
  return new Set(rows.map(([teamId]) => Number(teamId)));
}

// An overlap cut short by the end of access is not running; its row is deleted too, because extending the access would
// revive it.
const END_OVERLAP = statement("end_overlap")`
  WITH was AS (
    SELECT * FROM user_group WHERE environment_id = $1 AND provided_id = $2 FOR UPDATE
  ), ${checking(`was CROSS JOIN ${authorFrom(3)}`, "tokens:rotate")}, gone AS (
    DELETE FROM previous_token p USING was WHERE p.team_id = was.team_id
    RETURNING p.team_id, ${overlapEnd("p", "was")} AS valid_until, ${overlapRuns("p", "was")} AS ran,
      p.replaced_at = was.rotated_at AND p.valid_until > now() AS was_kept
  ), changed AS (
    UPDATE user_group g SET gen = was.gen + 1 FROM was JOIN gone USING (team_id)
    WHERE g.environment_id = was.environment_id AND g.team_id = was.team_id AND gone.was_kept
    RETURNING g.environment_id, g.team_id, gone.valid_until
  ), ${recording({
    columns: "environment_id, team_id, action, before",
    values: `environment_id, team_id, 'user_group.overlap_ended', json_build_object('previous_token_valid_until',
      ${timeText("valid_until")})::text`,
    rows: `changed CROSS JOIN ${authorFrom(3)}`,
  })}
  SELECT team_id, provided_id, name, EXISTS (SELECT FROM gone WHERE ran) AS ended
  FROM was, checked`;

/** A group whose overlap was to end; `ended` says whether one was running. */
export interface EndedOverlap {
  team_id: number;
  provided_id: string;
  name: string;
  ended: boolean;
}

/** Ends a running overlap and records that: the previous token stops working; undefined when there is no such group. */
export async function endOverlap(
  { environmentId, providedId }: { environmentId: number; providedId: string },
  author: Author,
): Promise<EndedOverlap | undefined> {
  return (await write<EndedOverlap>(END_OVERLAP, [environmentId, providedId, ...authorValues(author)]))[0];
}

/**
 * Stores, to the minute, that previous tokens were last used $3 milliseconds ago: those of the groups $1, with the
 * hashes $4.
 */
export const RECORD_PREVIOUS_USE = statement("record_previous_token_use")`
  WITH due AS (
    SELECT p.team_id, seen.at
    FROM (SELECT id, environment_id, token_index, now() - age * interval '1 millisecond' AS at
          FROM unnest($1::int[], $2::int[], $3::int[], $4::bytea[])
            AS q(id, environment_id, age, token_index)) AS seen
    JOIN LATERAL (
      SELECT team_id FROM previous_token
      WHERE team_id = seen.id AND environment_id = seen.environment_id AND token_index = seen.token_index
        AND (last_used_at IS NULL OR last_used_at < seen.at - interval '1 minute')
      FOR UPDATE SKIP LOCKED
    ) AS p ON true
  )
  UPDATE previous_token p SET last_used_at = due.at FROM due WHERE p.team_id = due.team_id`;
