import { currentKey } from "@/lib/crypto/keyring";
import { isSealedUnder } from "@/lib/crypto/seal";
import type { Author } from "@/lib/db/authority";
import { transaction } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { AppError } from "@/lib/errors";
import { bringBackGroups, type DeletedRow, removeGroups } from "@/lib/store/deletions";
import type { GroupRow } from "@/lib/store/group-row";
import { resealGroups } from "@/lib/store/reseal";

/** How long a deletion can be undone, as the screen says. */
const UNDO_MS = 10_000;
const KEPT = "60 seconds";

export interface DeletedRows {
  deleted: DeletedRow[];
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
  const deleted = await removeGroups({ environmentId, teamIds, author });
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
    const rows = await bringBackGroups({ environmentId, teamIds, author }, client);
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
    const old = restored.filter(({ token_sealed }) => !isSealedUnder(token_sealed, currentKey().id));
    if (old.length > 0) await resealGroups(client, "user_group", old);
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
