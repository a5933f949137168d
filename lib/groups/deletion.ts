import { currentKey } from "@/lib/crypto/keyring";
import { isSealedUnder } from "@/lib/crypto/seal";
import type { Author } from "@/lib/db/authority";
import { transaction } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { AppError } from "@/lib/errors";
import { bringBackGroups, type DeletedRow, removeGroups } from "@/lib/store/deletions";
import type { GroupRow } from "@/lib/store/group-row";
import { resealGroups } from "@/lib/store/reseal";

/** How long a deletion can be undone, in milliseconds. */
const UNDO_MS = 10_000;
const KEPT = "60 seconds";

export interface DeletedRows {
  deleted: DeletedRow[];
  undoUntil: Date;
}

export interface RestoredRows {
  restored: GroupRow[];
  /** groups that use their ids now */
  conflicts: GroupRow[];
}

/**
 * Deletes groups of the environment: their tokens stop working immediately. Missing groups are skipped.
 * @throws {AppError} `not_found` when none exists
 */
export async function deleteGroups(environmentId: number, teamIds: number[], author: Author): Promise<DeletedRows> {
  const deleted = await removeGroups({ environmentId, teamIds, author });
  const [first] = deleted;
  if (!first) throw new AppError("not_found", "None of these user groups exists in this environment.");
  return { deleted, undoUntil: new Date(first.deleted_at.getTime() + UNDO_MS) };
}

/**
 * Undoes a deletion: each group returns unchanged, with its token, unless another group has taken its id.
 * @throws {AppError} `not_found` when it is too late for all of them, `conflict` when all ids are taken
 */
export async function restoreGroups(environmentId: number, teamIds: number[], author: Author): Promise<RestoredRows> {
  return transaction(async (client) => {
    const rows = await bringBackGroups({ environmentId, teamIds, author }, client);
    const restored = rows.filter((row) => row.restored);
    const conflicts = rows.filter((row) => !row.restored);
    if (rows.length === 0) {
      throw new AppError("not_found", "Too late to undo: deletions can be undone for 10 seconds.");
    }
    if (restored.length === 0) {
      throw new AppError("conflict", "Cannot undo: another user group now has the same id.");
    }
    // A rekey does not see groups deleted while it runs, and may have been the last to need the old key.
    const old = restored.filter(({ token_sealed }) => !isSealedUnder(token_sealed, currentKey().id));
    if (old.length > 0) await resealGroups(client, "user_group", old);
    return { restored, conflicts };
  });
}

/** Deletes groups for good once their deletion can no longer be undone. */
export async function purgeDeletedGroups() {
  const where = `deleted_at < now() - interval '${KEPT}'`;
  const along =
    "DELETE FROM group_use u USING gone WHERE u.environment_id = gone.environment_id AND u.team_id = gone.team_id";
  await purge({ table: "deleted_group", where, along });
}
