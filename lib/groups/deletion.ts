import type { PoolClient } from "pg";
import { type Asked, type AskedIf, authorOf } from "@/lib/auth/caller";
import type { Author } from "@/lib/authority/authority";
import { tokenIndexes } from "@/lib/crypto/group-token";
import { currentKey, isSealedUnder } from "@/lib/crypto/keyring";
import { transaction } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { type GroupIssue, restoredIssues } from "@/lib/definitions/judge";
import { recentDefinitions } from "@/lib/definitions/service";
import { AppError, invalidFields, unavailable } from "@/lib/errors";
import type { GroupDeletion, GroupRestoration } from "@/lib/groups/deletion-schema";
import { entityTags, noGroup, renamedTo, requireNotRenamed, staleTag } from "@/lib/groups/group";
import {
  blankHistory,
  bringBackGroups,
  eraseGroup,
  lockDeletedGroup,
  type RestoredRow,
  removeGroup,
  secondsKept,
} from "@/lib/store/deletions";
import { findGroup } from "@/lib/store/group-row";
import { findNewId } from "@/lib/store/renames";
import { resealGroups } from "@/lib/store/reseal";
import type { GroupWithState } from "@/lib/store/states";

/** Until when a group that was deleted at `deletedAt` can be restored. */
export function keptUntil(deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + secondsKept() * 1_000);
}

/**
 * Deletes the group with this id or current token: its token stops working immediately.
 * @throws {AppError} `unknown_user_group` or `unknown_token`, `stale`, or `invalid_fields` when id and token disagree
 */
export async function deleteGroup({ caller, input, ifMatch }: AskedIf<GroupDeletion>) {
  const { user_group_id: providedId, current_token: token } = input;
  const environmentId = caller.environment.id;
  const indexes = token === undefined ? undefined : tokenIndexes(token);
  const tags = entityTags(ifMatch);
  const removed = await removeGroup({ environmentId, providedId, tokenIndexes: indexes, tags }, authorOf(caller));
  if (!removed) return unknownDeletion(environmentId, providedId, indexes);
  if (removed.outcome === "other_token") throw disagreement();
  if (removed.outcome === "stale") throw staleTag(tags);
}

/** The error for a deletion that found no group. */
async function unknownDeletion(
  environmentId: number,
  providedId: string | undefined,
  indexes: Buffer[] | undefined,
): Promise<never> {
  if (providedId === undefined) {
    const message = "current_token is not the current token of a user group in this environment.";
    throw new AppError("unknown_token", message);
  }
  for (const tokenIndex of indexes ?? []) {
    if (await findGroup(environmentId, { tokenIndex })) throw disagreement();
  }
  return noGroup(environmentId, providedId);
}

function disagreement(): AppError {
  const message = "is not the current token of the group with this user_group_id";
  return invalidFields([{ path: ["current_token"], message }]);
}

/**
 * Restores deleted groups that are kept, unless their ids are taken, within the connection's transaction; returns both
 * kinds.
 */
export async function bringBack(
  client: PoolClient,
  { environmentId, teamIds, author }: { environmentId: number; teamIds: number[]; author: Author },
): Promise<RestoredRow[]> {
  const rows = await bringBackGroups({ environmentId, teamIds, author }, client);
  // A rekey misses groups that move while it runs, and the old key may be removed after it.
  const old = rows.filter((row) => row.restored && !isSealedUnder(row.token_sealed, currentKey().id));
  if (old.length > 0) await resealGroups(client, "user_group", old);
  return rows;
}

/** With `replace`, a group created between deleting the living group and restoring makes both start again. */
const RESTORE_ATTEMPTS = 3;

/**
 * Restores the most recently deleted group with this id, or the one with this number; with `replace`, a group that now
 * has the id is deleted in the same transaction.
 * @throws {AppError} `unknown_user_group` when none is kept, `conflict` when the id is taken, `renamed` when it is
 * reserved
 */
export async function restoreGroup({ caller, input }: Asked<GroupRestoration>): Promise<RestoredGroup> {
  const known = await recentDefinitions(caller.environment.id);
  for (let attempt = 1; ; attempt++) {
    try {
      const group = await transaction((client) => restoreOn(client, { caller, input }));
      return { group, issues: restoredIssues(known, group) };
    } catch (error) {
      const isTaken = error instanceof AppError && error.code === "conflict";
      if (!isTaken || !input.replace || attempt === RESTORE_ATTEMPTS) throw error;
    }
  }
}

export interface RestoredGroup {
  group: GroupWithState;
  /** its problems, which do not prevent the restoration; undefined where definitions are off */
  issues: GroupIssue[] | undefined;
}

async function restoreOn(client: PoolClient, { caller, input }: Asked<GroupRestoration>): Promise<RestoredRow> {
  const { user_group_id: providedId, replace = false } = input;
  const [environmentId, author] = [caller.environment.id, authorOf(caller)];
  // Locked first: with `replace`, the living group becomes the most recently deleted one.
  const found = await lockDeletedGroup(environmentId, input, client);
  if (found === undefined) {
    await requireNotRenamed(environmentId, providedId, client);
    return notKept();
  }
  if (replace) {
    await removeGroup({ environmentId, providedId, tokenIndexes: undefined, tags: undefined }, author, client);
  }
  const [row] = await bringBack(client, { environmentId, teamIds: [found], author });
  if (!row) return notKept();
  if (!row.restored) {
    const newId = await findNewId({ environmentId, providedId }, client);
    if (newId !== undefined) {
      const why = `It ${renamedTo(newId)}. Only it can take this id back.`;
      throw new AppError("renamed", `Another user group had this id recently. ${why}`);
    }
    const message = "Another user group has this id now. Send `replace: true` to delete it and restore this one.";
    throw new AppError("conflict", message);
  }
  return row;
}

/** @throws {AppError} `unknown_user_group` */
function notKept(): never {
  const message = "No such deleted user group in this environment. It may have been restored, or is no longer kept.";
  throw new AppError("unknown_user_group", message);
}

/** Time for blanking a history in milliseconds: a last statement and the erasure must still fit a request's limit. */
const BLANKING_MS = 800;

/**
 * Erases a deleted group for good, with its content in the history and in imports. A long history is erased in pieces,
 * over several calls if necessary; the group itself goes last.
 * @throws {AppError} `conflict` for a living group, `unknown_user_group` when there is none, `unavailable` when a part
 * is left
 */
export async function purgeGroup({ caller, input }: Asked<{ team_id: number }>) {
  const [environmentId, teamId] = [caller.environment.id, input.team_id];
  const until = performance.now() + BLANKING_MS;
  for (let after: string | undefined = "0"; after !== undefined; ) {
    if (performance.now() > until) {
      throw unavailable(
        "a long history",
        "This history is long, and only a part of it is erased: send the request again.",
      );
    }
    after = await blankHistory({ environmentId, teamId, after }, authorOf(caller));
  }
  if (await eraseGroup(environmentId, teamId, authorOf(caller))) return;
  if (await findGroup(environmentId, { teamId })) {
    throw new AppError("conflict", "This user group is not deleted. Delete it first, then erase it.");
  }
  return notKept();
}

/** Deletes groups for good once they can no longer be restored, and frees former ids after the same time. */
export async function purgeDeletedGroups() {
  const where = `deleted_at < now() - interval '${secondsKept()} seconds'`;
  const along = ["group_use", "previous_token", "reserved_id"].map(
    (table) =>
      `DELETE FROM ${table} u USING gone WHERE u.environment_id = gone.environment_id AND u.team_id = gone.team_id`,
  );
  // As in erase_group: before PostgreSQL 18, the index is read whole without the months.
  along.push(`DELETE FROM group_use_month u USING gone WHERE u.team_id = gone.team_id AND u.month = ANY (ARRAY (
    SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => n))::date
    FROM generate_series(-14, 14) AS n))`);
  // Only viewers' revocations: verifiers may still need the groups'.
  along.push("DELETE FROM viewer_revocation r USING gone WHERE r.team_id = gone.team_id AND r.viewer_key <> ''");
  await purge({ table: "deleted_group", where, along });
  // Kept while rows of jobs have the id: an erasure of the group finds them by it.
  const isInJobs = `EXISTS (SELECT FROM job_row r WHERE r.provided_id = reserved_id.provided_id
    AND (r.team_id = reserved_id.team_id OR r.team_id IS NULL))`;
  await purge({ table: "reserved_id", where: `until <= now() AND NOT ${isInJobs}` });
}
