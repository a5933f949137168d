import { createHash } from "node:crypto";
import type { PoolClient } from "pg";
import { authorOf } from "@/lib/auth/caller";
import { newToken, storeToken, tokenIndexes } from "@/lib/crypto/group-token";
import type { Author } from "@/lib/db/authority";
import { transaction } from "@/lib/db/pool";
import { AppError } from "@/lib/errors";
import { entityTag, type Group } from "@/lib/groups/group";
import { claim, entryOf, keepAnswer, keptAnswer } from "@/lib/groups/idempotency";
import { noSuchGroup, recordHandOver } from "@/lib/groups/reveal";
import type { TokenReplacement, TokenRotation } from "@/lib/groups/schema";
import type { GroupCall } from "@/lib/groups/service";
import { swapToken } from "@/lib/store/changes";
import { findGroup } from "@/lib/store/group-row";
import { meter } from "@/lib/telemetry/meter";

/**
 * Gives the group a new token; the previous one stops working immediately.
 * With an Idempotency-Key the rotation happens once, and repetitions within 24 h get the first answer.
 * @throws {AppError} `unknown_token` when it is not a group's current token, `idempotency_conflict` when the key
 *   was used with another token
 */
export async function rotateByToken(
  call: GroupCall<TokenRotation> & { idempotencyKey: string | undefined },
): Promise<Group> {
  const { caller, input, idempotencyKey } = call;
  if (idempotencyKey === undefined) {
    return rotate(call);
  }
  const entry = entryOf(caller, idempotencyKey, createHash("sha256").update(input.current_token).digest());
  let isRepeated = false;
  const group = await transaction(async (client) => {
    isRepeated = !(await claim(client, entry));
    if (isRepeated) return keptAnswer<Group>(client, entry);
    const rotated = await rotate(call, client);
    await keepAnswer(client, entry, rotated);
    return rotated;
  });
  if (isRepeated) await recordHandOver(caller, group.teamId);
  return group;
}

/**
 * Gives a group a new token for a caller who does not hold the current one, if the group still matches `etag`.
 * @throws {AppError} `not_found`, or `stale` when it has changed
 */
export async function rotateByEtag(
  environmentId: number,
  { teamId, etag }: TokenReplacement,
  author: Author,
): Promise<string> {
  const row = (await findGroup(environmentId, { teamId })) ?? noSuchGroup();
  if (entityTag({ teamId, version: row.version }) !== etag) throw stale();
  const token = newToken();
  const stored = storeToken(token, { environmentId, providedId: row.provided_id });
  const swap = {
    environmentId,
    teamId,
    oldIndexes: [row.token_index],
    newIndex: stored.tokenIndex,
    newSealed: stored.tokenSealed,
    version: row.version,
  };
  if (!(await swapToken(swap, author))) throw stale();
  meter()?.changed("rotated");
  return token;
}

function stale(): AppError {
  return new AppError("stale", "The user group has changed since you read it. Read it again, then retry.");
}

async function rotate({ caller, input, group }: GroupCall<TokenRotation>, client?: PoolClient): Promise<Group> {
  if (!group) return unknownToken();
  const token = newToken();
  const environmentId = caller.environment.id;
  const stored = storeToken(token, { environmentId, providedId: group.provided_id });
  const swap = {
    environmentId,
    teamId: group.team_id,
    oldIndexes: tokenIndexes(input.current_token),
    newIndex: stored.tokenIndex,
    newSealed: stored.tokenSealed,
  };
  const rotated = (await swapToken(swap, authorOf(caller), client)) ?? unknownToken();
  meter()?.changed("rotated");
  return { token, ...rotated };
}

function unknownToken(): never {
  throw new AppError(
    "unknown_token",
    "current_token is not the current token of a user group in this environment. It may have been rotated: get the current one with GET.",
  );
}
