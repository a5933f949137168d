import { storeToken } from "@/lib/crypto/group-token";
import { currentKey } from "@/lib/crypto/keyring";
import { isSealedUnder } from "@/lib/crypto/seal";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/db/authority";
import { queryOf, type Statement, transaction, write } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { AppError } from "@/lib/errors";
import { toGroup } from "@/lib/groups/service";
import { GROUP_COLUMNS, type GroupRow, snapshot } from "@/lib/store/statements";

/** How long a deletion can be undone, as the screen says; and how long the server still takes it, for what is on its way. */
const UNDO_MS = 10_000;
const UNDO_TAKEN = "15 seconds";
const KEPT = "60 seconds";

const ALL_COLUMNS =
  "team_id, environment_id, provided_id, name, mapping, properties, token_index, token_sealed, state, access_ends_at, gen, created_at, updated_at, rotated_at";

// Rows are locked in one order, so that two deletions at once do not wait for each other.
const DELETE_GROUPS: Statement = {
  name: "delete_groups",
  text: `
    WITH chosen AS (
      SELECT team_id FROM user_group WHERE environment_id = $1 AND team_id = ANY ($2) ORDER BY team_id FOR UPDATE
    ), was AS (
      DELETE FROM user_group g USING chosen WHERE g.environment_id = $1 AND g.team_id = chosen.team_id RETURNING g.*
    ), kept AS (
      INSERT INTO deleted_group (${ALL_COLUMNS}, version) SELECT ${ALL_COLUMNS}, version FROM was
    ), ${checking(`was CROSS JOIN ${authorFrom(3)}`)}, ${recording({
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
    ), ${checking(`was CROSS JOIN ${authorFrom(3)}`)}, ${recording({
      columns: "environment_id, team_id, action, after",
      values: `environment_id, team_id, 'user_group.restored', ${snapshot("back")}`,
      rows: `back CROSS JOIN ${authorFrom(3)}`,
      order: "team_id",
    })}
    SELECT ${GROUP_COLUMNS}, EXISTS (SELECT FROM back WHERE back.team_id = was.team_id) AS restored
    FROM was, checked ORDER BY team_id`,
};

const MOVE_TO_KEY =
  "UPDATE user_group SET token_index = $3, token_sealed = $4 WHERE environment_id = $1 AND team_id = $2";

interface Deleted {
  team_id: number;
  provided_id: string;
  name: string;
  deleted_at: Date;
}

export interface DeletedRows {
  deleted: Deleted[];
  undoUntil: Date;
}

export interface RestoredRows {
  restored: GroupRow[];
  /** whose ids are taken */
  conflicts: GroupRow[];
}

/**
 * Deletes groups of the environment: their tokens identify nothing from then on. Those that are no more are passed over.
 * @throws {AppError} `not_found` when there is none of them
 */
export async function deleteGroups(environmentId: number, teamIds: number[], author: Author): Promise<DeletedRows> {
  const deleted = await write<Deleted>(DELETE_GROUPS, [environmentId, teamIds, ...authorValues(author)]);
  const [first] = deleted;
  if (!first) throw new AppError("not_found", "None of these user groups is in this environment any more.");
  return { deleted, undoUntil: new Date(first.deleted_at.getTime() + UNDO_MS) };
}

/**
 * Takes a deletion back: each group is what it was, its token included, unless its id has been given to another meanwhile.
 * @throws {AppError} `not_found` when it is too late for all of them, `conflict` when the ids of all are taken
 */
export async function restoreGroups(environmentId: number, teamIds: number[], author: Author): Promise<RestoredRows> {
  return transaction(async (client) => {
    const values = [environmentId, teamIds, ...authorValues(author)];
    const { rows } = await client.query<GroupRow & { restored: boolean }>(queryOf(RESTORE_GROUPS, values));
    const restored = rows.filter((row) => row.restored);
    const conflicts = rows.filter((row) => !row.restored);
    if (rows.length === 0) {
      throw new AppError(
        "not_found",
        "This can be undone no more: a deletion is taken back within 10 seconds or never.",
      );
    }
    if (restored.length === 0) {
      throw new AppError("conflict", "Another user group has been created with the same id meanwhile: it stays.");
    }
    // A rekey does not see what was deleted while it ran, and may have been the last to need the old key.
    for (const row of restored.filter(({ token_sealed }) => !isSealedUnder(token_sealed, currentKey().id))) {
      const place = { environmentId: row.environment_id, providedId: row.provided_id };
      const stored = storeToken(toGroup(row).token, place);
      await client.query(MOVE_TO_KEY, [environmentId, row.team_id, stored.tokenIndex, stored.tokenSealed]);
    }
    return { restored, conflicts };
  });
}

/** Forgets the groups whose deletion can be undone no more. */
export async function purgeDeletedGroups() {
  const where = `deleted_at < now() - interval '${KEPT}'`;
  const along =
    "DELETE FROM group_use u USING gone WHERE u.environment_id = gone.environment_id AND u.team_id = gone.team_id";
  await purge({ table: "deleted_group", where, along });
}
