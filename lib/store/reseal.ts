import type { ClientBase, Pool } from "pg";
import { storeToken } from "@/lib/crypto/group-token";
import { type GroupRow, tokenOf } from "@/lib/store/group-row";

// Moves groups' tokens to the current key. The tokens do not change, so the history records nothing.

export type Resealable = "user_group" | "previous_token" | "deleted_group";

/** A group's stored token. */
export type SealedRow = Pick<GroupRow, "team_id" | "environment_id" | "provided_id" | "token_index" | "token_sealed">;

/** The next `most` groups by number. */
export async function sealedGroups(
  database: ClientBase | Pool,
  table: Resealable,
  { after, most }: { after: number; most: number },
): Promise<SealedRow[]> {
  const { rows } = await database.query<SealedRow>(
    `SELECT team_id, environment_id, provided_id, token_index, token_sealed FROM ${table}
     WHERE team_id > $1 ORDER BY team_id LIMIT $2`,
    [after, most],
  );
  return rows;
}

/**
 * Seals tokens under the current key; one that was rotated or moved since it was read stays unchanged.
 * @throws when a sealed token does not belong to its row
 */
export async function resealGroups(database: ClientBase | Pool, table: Resealable, rows: SealedRow[]) {
  const renewed = rows.map((row) =>
    storeToken(tokenOf(row), { environmentId: row.environment_id, providedId: row.provided_id }),
  );
  await database.query(
    `UPDATE ${table} g SET token_index = u.index, token_sealed = u.sealed
     FROM unnest($1::int[], $2::bytea[], $3::bytea[], $4::bytea[]) AS u(team_id, was, index, sealed)
     WHERE g.team_id = u.team_id AND g.token_sealed = u.was`,
    [
      rows.map(({ team_id }) => team_id),
      rows.map(({ token_sealed }) => token_sealed),
      renewed.map(({ tokenIndex }) => tokenIndex),
      renewed.map(({ tokenSealed }) => tokenSealed),
    ],
  );
}
