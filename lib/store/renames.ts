import type pg from "pg";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { env } from "@/lib/config/env";
import { storeToken } from "@/lib/crypto/group-token";
import { query, readText, statement, writeText } from "@/lib/db/pool";
import { type GroupRow, groupText, readGroup, snapshot, tokenOf } from "@/lib/store/group-row";
import type { SealedRow } from "@/lib/store/reseal";

// A renamed group keeps its number, token and history. Its former id stays reserved for a while: programs that still
// use it learn the new id, and do not create another group. Statements leave reserved ids out; if a concurrent rename
// reserves one that they cannot see, a trigger raises an error and they are repeated.

/** Whether the id of a row is reserved; never for the group that has it. */
export const isReserved = (row: string) =>
  `EXISTS (SELECT FROM reserved_id o WHERE o.environment_id = ${row}.environment_id
    AND o.provided_id = ${row}.provided_id AND o.until > now())`;

const LOCK_PREVIOUS = statement("lock_previous_token")`
  SELECT team_id, environment_id, provided_id, token_index, token_sealed FROM previous_token
  WHERE team_id = $1 FOR UPDATE`;

const RENAME_GROUP = statement("rename_group")`
  WITH was AS (
    SELECT * FROM user_group WHERE environment_id = $1 AND team_id = $2 FOR UPDATE
  ), ${checking(`was CROSS JOIN ${authorFrom(9)}`, "groups:write")}, freed AS (
    DELETE FROM reserved_id WHERE environment_id = $1 AND provided_id = $3 AND team_id = $2
  ), changed AS (
    UPDATE user_group g SET provided_id = $3, token_index = $4, token_sealed = $5, version = was.version + 1,
      updated_at = now()
    FROM was WHERE g.environment_id = was.environment_id AND g.team_id = was.team_id AND NOT EXISTS (
      SELECT FROM reserved_id o
      WHERE o.environment_id = $1 AND o.provided_id = $3 AND o.team_id <> $2 AND o.until > now())
    RETURNING g.*
  ), resealed AS (
    UPDATE previous_token p SET provided_id = $3, token_index = $6, token_sealed = $7
    FROM changed WHERE p.team_id = changed.team_id AND $6::bytea IS NOT NULL
  ), reserved AS (
    INSERT INTO reserved_id (environment_id, provided_id, team_id, until)
    SELECT was.environment_id, was.provided_id, was.team_id, now() + $8::int * interval '1 second'
    FROM changed JOIN was USING (team_id)
    ON CONFLICT (environment_id, provided_id) DO UPDATE SET team_id = excluded.team_id, until = excluded.until
  ), ${recording({
    columns: "environment_id, team_id, action, before, after",
    values: `changed.environment_id, changed.team_id, 'user_group.renamed', ${snapshot("was")}, ${snapshot("changed")}`,
    rows: `changed JOIN was USING (team_id) CROSS JOIN ${authorFrom(9)}`,
  })}
  SELECT ${groupText("changed")} FROM changed, checked`;

/**
 * Gives a group whose row is locked another id and records it, in `client`'s transaction; undefined when the id is
 * reserved for another group.
 * @throws a unique violation when another group has it
 */
export async function renameGroup(group: GroupRow, providedId: string, author: Author, client: pg.ClientBase) {
  const { environment_id: environmentId, team_id: teamId } = group;
  const sealed = (row: SealedRow) => storeToken(tokenOf(row), { environmentId, providedId });
  const [before] = await query<SealedRow>(client, LOCK_PREVIOUS, [teamId]);
  const [current, previous] = [sealed(group), before && sealed(before)];
  const tokens = [current.tokenIndex, current.tokenSealed, previous?.tokenIndex, previous?.tokenSealed];
  const kept = env().DELETED_GROUPS_KEPT;
  const values = [environmentId, teamId, providedId, ...tokens, kept, ...authorValues(author)];
  const [row] = await writeText(RENAME_GROUP, values, client);
  return row && readGroup(environmentId, row, 0);
}

interface Place {
  environmentId: number;
  providedId: string;
}

/** The id that a group has in place of a reserved one, or had when it was deleted. */
export interface NewId {
  id: string;
  isDeleted: boolean;
}

// Includes deleted groups: a former id stays reserved in case its group is restored.
const FIND_RENAMED = statement("find_renamed")`
  SELECT q.n, coalesce(g.provided_id, d.provided_id), g.team_id IS NULL
  FROM unnest($1::int[], $2::text[]) WITH ORDINALITY AS q(environment_id, provided_id, n)
  JOIN reserved_id o USING (environment_id, provided_id)
  LEFT JOIN user_group g ON g.team_id = o.team_id LEFT JOIN deleted_group d ON d.team_id = o.team_id
  WHERE o.until > now()`;

async function findAll(places: readonly Place[], client?: pg.ClientBase): Promise<(NewId | undefined)[]> {
  const values = [places.map(({ environmentId }) => environmentId), places.map(({ providedId }) => providedId)];
  const rows = client ? await writeText(FIND_RENAMED, values, client) : await readText(FIND_RENAMED, values);
  const found = new Array<NewId | undefined>(places.length).fill(undefined);
  for (const [n, id, isDeleted] of rows) if (id) found[Number(n) - 1] = { id, isDeleted: isDeleted === "t" };
  return found;
}

/** The new id of the group that had this reserved id; undefined for other ids. */
export async function findNewId(place: Place, client?: pg.ClientBase): Promise<NewId | undefined> {
  return (await findAll([place], client))[0];
}

/** Like {@link findNewId}, for several ids: the new ids by reserved id; in `client`'s transaction if given. */
export async function findNewIds(environmentId: number, providedIds: string[], client?: pg.ClientBase) {
  const places = providedIds.map((providedId) => ({ environmentId, providedId }));
  const found = places.length === 0 ? [] : await findAll(places, client);
  return new Map(providedIds.flatMap((id, n): [string, NewId][] => (found[n] === undefined ? [] : [[id, found[n]]])));
}
