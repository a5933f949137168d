import type pg from "pg";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { env } from "@/lib/config/env";
import { query, statement, write } from "@/lib/db/pool";
import { GROUP_COLUMNS, shownState, snapshot } from "@/lib/store/group-row";
import { isReserved } from "@/lib/store/renames";
import type { GroupWithState } from "@/lib/store/states";

// Groups move from user_group to deleted_group, and back while they are kept. Both raise `gen`, which ends viewer
// tokens. A previous token stays in its table: it identifies nothing while the group is deleted, and after a
// restoration it works until its overlap ends.

const COLUMNS =
  "team_id, environment_id, provided_id, name, mapping, properties, token_index, token_sealed, state, " +
  "access_ends_at, created_at, updated_at, rotated_at, allowed_origins, version";

/** The parts of a statement that keep and record the deleted rows of `gone`. */
const keeping = (author: string) => `kept AS (
      INSERT INTO deleted_group (${COLUMNS}, gen) SELECT ${COLUMNS}, gen + 1 FROM gone
    ), ${recording({
      columns: "environment_id, team_id, action, before, ended_token",
      values: `environment_id, team_id, 'user_group.deleted', ${snapshot("gone")}, substring(token_index FOR 8)`,
      rows: `gone CROSS JOIN ${author}`,
    })}`;

/**
 * Deletes groups whose token is one of $3 and whose version is one of $4, where NULL means any. Rows are locked in one
 * order, so that concurrent deletions cannot deadlock.
 */
const deleting = (key: "team_id = ANY ($2)" | "provided_id = $2" | "token_index = ANY ($2::bytea[])") => `
    WITH was AS (
      SELECT environment_id, team_id, token_index = ANY ($3::bytea[]) IS NOT FALSE AS has_token,
        team_id || '-' || version = ANY ($4::text[]) IS NOT FALSE AS is_current
      FROM user_group WHERE environment_id = $1 AND ${key} ORDER BY team_id FOR UPDATE
    ), ${checking(`was CROSS JOIN ${authorFrom(5)}`, "groups:delete")}, gone AS (
      DELETE FROM user_group g USING was
      WHERE g.environment_id = was.environment_id AND g.team_id = was.team_id AND has_token AND is_current
      RETURNING g.*
    ), ${keeping(authorFrom(5))}
    SELECT CASE WHEN NOT has_token THEN 'other_token' WHEN NOT is_current THEN 'stale' ELSE 'deleted' END AS outcome
    FROM was, checked`;

const DELETE_GROUPS = statement("delete_groups")`${deleting("team_id = ANY ($2)")}`;
const DELETE_BY_ID = statement("delete_group_by_id")`${deleting("provided_id = $2")}`;
const DELETE_BY_TOKEN = statement("delete_group_by_token")`${deleting("token_index = ANY ($2::bytea[])")}`;

const LOCK_DELETED = statement("lock_deleted_group")`
  SELECT team_id FROM deleted_group
  WHERE environment_id = $1 AND provided_id = $2 AND ($3::int IS NULL OR team_id = $3)
    AND deleted_at > now() - $4::int * interval '1 second'
  ORDER BY deleted_at DESC, team_id DESC LIMIT 1 FOR UPDATE`;

const RESTORED = COLUMNS.replace("updated_at", "now() AS updated_at").replace("version", "version + 1 AS version");

const RESTORE_GROUPS = statement("restore_groups")`
  WITH locked AS (
    SELECT * FROM deleted_group
    WHERE environment_id = $1 AND team_id = ANY ($2) AND deleted_at > now() - $8::int * interval '1 second'
    ORDER BY team_id FOR UPDATE
  ), was AS (
    SELECT ${RESTORED}, gen + 1 AS gen FROM locked
  ), back AS (
    INSERT INTO user_group (${COLUMNS}, gen)
    SELECT ${COLUMNS}, gen FROM was WHERE NOT ${isReserved("was")} ORDER BY team_id
    ON CONFLICT (environment_id, provided_id) DO NOTHING RETURNING *
  ), gone AS (
    DELETE FROM deleted_group d USING back WHERE d.environment_id = $1 AND d.team_id = back.team_id
  ), ${checking(`was CROSS JOIN ${authorFrom(3)}`, "groups:delete")}, ${recording({
    columns: "environment_id, team_id, action, after",
    values: `environment_id, team_id, 'user_group.restored', ${snapshot("back")}`,
    rows: `back CROSS JOIN ${authorFrom(3)}`,
  })}
  SELECT ${GROUP_COLUMNS}, mapping, ${shownState("was")} AS shown_state,
    EXISTS (SELECT FROM back WHERE back.team_id = was.team_id) AS restored
  FROM was, checked ORDER BY team_id`;

/** Entries of the history to blank per statement: well within its time limit, even with the largest states. */
const ENTRIES_AT_ONCE = 500;

// These functions run as the owner: the role that serves may not change the history.
const BLANK_HISTORY = statement("blank_history")`
  WITH was AS (
    SELECT environment_id, team_id FROM deleted_group WHERE environment_id = $1 AND team_id = $2 FOR UPDATE
  ), ${checking(`was CROSS JOIN ${authorFrom(3)}`, "groups:purge")}
  SELECT blank_history(environment_id, team_id, $8, ${ENTRIES_AT_ONCE})::text AS last FROM was, checked`;
const ERASE_GROUP = statement("erase_group")`
  WITH was AS (
    SELECT environment_id, team_id FROM deleted_group WHERE environment_id = $1 AND team_id = $2 FOR UPDATE
  ), forgotten AS (
    DELETE FROM previous_token p USING was WHERE p.team_id = was.team_id
  ), ${checking(`was CROSS JOIN ${authorFrom(3)}`, "groups:purge")}, ${recording({
    columns: "environment_id, team_id, action",
    values: "environment_id, team_id, 'user_group.erased'",
    rows: `was CROSS JOIN ${authorFrom(3)}`,
  })}
  SELECT team_id, erase_group(environment_id, team_id) FROM was, checked`;

/** The groups of a deletion or restoration: one environment, one author. */
interface Selection {
  environmentId: number;
  teamIds: number[];
  author: Author;
}

/** Deletes and records the existing groups, within the connection's transaction. */
export async function removeGroups({ environmentId, teamIds, author }: Selection, client: pg.ClientBase) {
  await query(client, DELETE_GROUPS, [environmentId, teamIds, undefined, undefined, ...authorValues(author)]);
}

/** A group to delete: by id, by token, or by both if they agree. */
interface Removal {
  environmentId: number;
  providedId: string | undefined;
  /** keyed hashes of its token, under each usable key */
  tokenIndexes: Buffer[] | undefined;
  /** the entity tags that it may have; undefined for any */
  tags: string[] | undefined;
}

type Removed = Record<"outcome", "deleted" | "other_token" | "stale">;

/** Deletes and records one group; undefined when it does not exist. */
export async function removeGroup(
  { environmentId, providedId, tokenIndexes, tags }: Removal,
  author: Author,
  client?: pg.ClientBase,
): Promise<Removed | undefined> {
  const [statement, key, indexes] =
    providedId === undefined ? [DELETE_BY_TOKEN, tokenIndexes] : [DELETE_BY_ID, providedId, tokenIndexes];
  const values = [environmentId, key, indexes, tags, ...authorValues(author)];
  return (client ? await query<Removed>(client, statement, values) : await write<Removed>(statement, values))[0];
}

/** How long deleted groups are kept, in seconds. */
export const secondsKept = () => env().DELETED_GROUPS_KEPT;

/**
 * Locks the most recently deleted group with this id that is still kept, or the one with this number, until the
 * transaction of `client` ends, and returns its number.
 */
export async function lockDeletedGroup(
  environmentId: number,
  { user_group_id: providedId, team_id: teamId }: { user_group_id: string; team_id?: number | undefined },
  client: pg.ClientBase,
): Promise<number | undefined> {
  const values = [environmentId, providedId, teamId, secondsKept()];
  return (await query<{ team_id: number }>(client, LOCK_DELETED, values))[0]?.team_id;
}

const FIND_DELETED = statement("find_deleted_groups")`
  SELECT team_id, version FROM deleted_group
  WHERE environment_id = $1 AND team_id = ANY ($2) AND deleted_at > now() - $3::int * interval '1 second'`;

/** The versions, by number, of those of these groups that are deleted and still kept. */
export async function findDeleted(environmentId: number, teamIds: number[], client: pg.ClientBase) {
  type Found = Pick<GroupWithState, "team_id" | "version">;
  const rows = await query<Found>(client, FIND_DELETED, [environmentId, teamIds, secondsKept()]);
  return new Map(rows.map(({ team_id, version }) => [team_id, version]));
}

/** A deleted group after an attempt to restore it. */
export interface RestoredRow extends GroupWithState {
  mapping: string;
  /** false where another group has its id, or had it recently */
  restored: boolean;
}

/** Restores and records groups that are kept, unless their ids are taken; returns both kinds. */
export function bringBackGroups({ environmentId, teamIds, author }: Selection, client: pg.ClientBase) {
  return query<RestoredRow>(client, RESTORE_GROUPS, [environmentId, teamIds, ...authorValues(author), secondsKept()]);
}

/**
 * Erases the content of a deleted group's next history entries after the entry `after`, except that of its deletion;
 * returns the last entry erased, or undefined when none was left.
 */
export async function blankHistory(
  { environmentId, teamId, after }: { environmentId: number; teamId: number; after: string },
  author: Author,
): Promise<string | undefined> {
  const values = [environmentId, teamId, ...authorValues(author), after];
  const [row] = await write<{ last: string | null }>(BLANK_HISTORY, values);
  return row?.last ?? undefined;
}

/** Erases a deleted group for good, with its content in the history and in imports; false when there is none. */
export async function eraseGroup(environmentId: number, teamId: number, author: Author): Promise<boolean> {
  const rows = await write<{ team_id: number }>(ERASE_GROUP, [environmentId, teamId, ...authorValues(author)]);
  return rows.length > 0;
}
