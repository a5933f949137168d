import type pg from "pg";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/db/authority";
import { queryOf, type Statement, write } from "@/lib/db/pool";
import { GROUP_COLUMNS, type GroupRow, snapshot } from "@/lib/store/group-row";

// Groups move from user_group to deleted_group, and back while the deletion can be undone.

/** How long the server accepts an undo: the screen's limit plus a margin for requests in flight. */
const UNDO_TAKEN = "15 seconds";

const ALL_COLUMNS =
  "team_id, environment_id, provided_id, name, mapping, properties, token_index, token_sealed, state, access_ends_at, gen, created_at, updated_at, rotated_at";

// Rows are locked in one order, so that concurrent deletions cannot deadlock.
const DELETE_GROUPS: Statement = {
  name: "delete_groups",
  text: `
    WITH chosen AS (
      SELECT team_id FROM user_group WHERE environment_id = $1 AND team_id = ANY ($2) ORDER BY team_id FOR UPDATE
    ), was AS (
      DELETE FROM user_group g USING chosen WHERE g.environment_id = $1 AND g.team_id = chosen.team_id RETURNING g.*
    ), kept AS (
      INSERT INTO deleted_group (${ALL_COLUMNS}, version) SELECT ${ALL_COLUMNS}, version FROM was
    ), ${checking(`was CROSS JOIN ${authorFrom(3)}`, "groups:delete")}, ${recording({
      columns: "environment_id, team_id, action, before, ended_token",
      values: `environment_id, team_id, 'user_group.deleted', ${snapshot("was")}, substring(token_index FOR 8)`,
      rows: `was CROSS JOIN ${authorFrom(3)}`,
      order: "team_id",
    })}
    SELECT team_id, provided_id, name, now() AS deleted_at FROM was, checked ORDER BY team_id`,
};

const RESTORE_GROUPS: Statement = {
  name: "restore_groups",
  text: `
    WITH was AS (
      SELECT * FROM deleted_group
      WHERE environment_id = $1 AND team_id = ANY ($2) AND deleted_at > now() - interval '${UNDO_TAKEN}'
      ORDER BY team_id FOR UPDATE
    ), back AS (
      INSERT INTO user_group (${ALL_COLUMNS}, version) SELECT ${ALL_COLUMNS}, version + 1 FROM was
      ON CONFLICT (environment_id, provided_id) DO NOTHING RETURNING *
    ), gone AS (
      DELETE FROM deleted_group d USING back WHERE d.environment_id = $1 AND d.team_id = back.team_id
    ), ${checking(`was CROSS JOIN ${authorFrom(3)}`, "groups:delete")}, ${recording({
      columns: "environment_id, team_id, action, after",
      values: `environment_id, team_id, 'user_group.restored', ${snapshot("back")}`,
      rows: `back CROSS JOIN ${authorFrom(3)}`,
      order: "team_id",
    })}
    SELECT ${GROUP_COLUMNS}, EXISTS (SELECT FROM back WHERE back.team_id = was.team_id) AS restored
    FROM was, checked ORDER BY team_id`,
};

/** A group that was just deleted. */
export interface DeletedRow {
  team_id: number;
  provided_id: string;
  name: string;
  deleted_at: Date;
}

/** The groups of a deletion or restoration: one environment, one author. */
interface Selection {
  environmentId: number;
  teamIds: number[];
  author: Author;
}

/** Deletes and records the existing groups; on `client` within its transaction. */
export async function removeGroups(
  { environmentId, teamIds, author }: Selection,
  client?: pg.ClientBase,
): Promise<DeletedRow[]> {
  const values = [environmentId, teamIds, ...authorValues(author)];
  if (!client) return write<DeletedRow>(DELETE_GROUPS, values);
  return (await client.query<DeletedRow>(queryOf(DELETE_GROUPS, values))).rows;
}

/** Restores and records groups if their deletion can be undone, unless their ids are taken; returns both kinds. */
export async function bringBackGroups(
  { environmentId, teamIds, author }: Selection,
  client: pg.ClientBase,
): Promise<(GroupRow & { restored: boolean })[]> {
  const values = [environmentId, teamIds, ...authorValues(author)];
  return (await client.query<GroupRow & { restored: boolean }>(queryOf(RESTORE_GROUPS, values))).rows;
}
