import { createHash } from "node:crypto";
import type { PoolClient } from "pg";
import { authorOf, type Caller } from "@/lib/auth/caller";
import { newToken, storeToken, tokenIndexes } from "@/lib/crypto/group-token";
import { transaction } from "@/lib/db/pool";
import { AppError } from "@/lib/errors";
import { entityTags, type Group, noGroup, staleTag } from "@/lib/groups/group";
import { claim, type Entry, entryOf, keepAnswer, keptAnswer } from "@/lib/groups/idempotency";
import { findNamed, recordHandOver } from "@/lib/groups/reveal";
import type { TokenRotation } from "@/lib/groups/schema";
import type { GroupCall } from "@/lib/groups/service";
import type { NamedGroup } from "@/lib/groups/token-schema";
import { swapToken, type TokenSwap } from "@/lib/store/changes";
import type { GroupRow } from "@/lib/store/group-row";
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
  return rotateOnce(caller, entryOf(caller, idempotencyKey, digestOf(input.current_token)), (client) =>
    rotate(call, client),
  );
}

const digestOf = (text: string) => createHash("sha256").update(text).digest();

/** Rotates once for each use of a key; repetitions get the first answer. */
async function rotateOnce(
  caller: Caller,
  entry: Entry,
  rotate: (client: PoolClient) => Promise<Group>,
): Promise<Group> {
  let isRepeated = false;
  const group = await transaction(async (client) => {
    isRepeated = !(await claim(client, entry));
    if (isRepeated) return keptAnswer<Group>(client, entry);
    const rotated = await rotate(client);
    await keepAnswer(client, entry, rotated);
    return rotated;
  });
  if (isRepeated) await recordHandOver(caller, group.teamId);
  return group;
}

/** A rotation by a caller who does not hold the current token. */
interface Replacement {
  caller: Caller;
  input: NamedGroup;
  /** the If-Match header */
  ifMatch: string | undefined;
  idempotencyKey: string | undefined;
}

/**
 * Gives the group a new token, if it still has a version of `ifMatch` and the token that it had when this began: of concurrent
 * callers one succeeds. An Idempotency-Key works as in {@link rotateByToken}.
 * @throws {AppError} `unknown_user_group`, `stale` when it has changed, or `idempotency_conflict`
 */
export async function replaceToken(call: Replacement): Promise<Group> {
  const { caller, input, idempotencyKey } = call;
  const row = await findNamed(caller.environment.id, input);
  if (idempotencyKey === undefined) return replace(call, row);
  const digest = digestOf(JSON.stringify(["replace", input.team_id, input.user_group_id]));
  return rotateOnce(caller, entryOf(caller, idempotencyKey, digest), (client) => replace(call, row, client));
}

async function replace(
  { caller, ifMatch }: Replacement,
  found: GroupRow | undefined,
  client?: PoolClient,
): Promise<Group> {
  const row = found ?? noGroup();
  const tags = entityTags(ifMatch);
  const { team_id: teamId, version, token_index } = row;
  if (tags && !tags.includes(`${teamId}-${version}`)) throw staleTag(tags);
  const rotated = await giveToken(caller, row, { oldIndexes: [token_index], ...(tags && { version }) }, client);
  if (!rotated) throw staleTag(undefined);
  return rotated;
}

async function rotate({ caller, input, group }: GroupCall<TokenRotation>, client?: PoolClient): Promise<Group> {
  if (!group) return unknownToken();
  return (await giveToken(caller, group, { oldIndexes: tokenIndexes(input.current_token) }, client)) ?? unknownToken();
}

/** Gives a group a new token if it still has one of the old ones, and the version; undefined otherwise. */
async function giveToken(
  caller: Caller,
  { team_id: teamId, provided_id: providedId }: GroupRow,
  old: Pick<TokenSwap, "oldIndexes" | "version">,
  client?: PoolClient,
): Promise<Group | undefined> {
  const token = newToken();
  const environmentId = caller.environment.id;
  const { tokenIndex: newIndex, tokenSealed: newSealed } = storeToken(token, { environmentId, providedId });
  const rotated = await swapToken({ environmentId, teamId, newIndex, newSealed, ...old }, authorOf(caller), client);
  if (!rotated) return undefined;
  meter()?.changed("rotated");
  return { token, ...rotated };
}

/** @throws {AppError} `unknown_token`, naming the field that holds it */
export function unknownToken(field: "current_token" | "token" = "current_token"): never {
  throw new AppError(
    "unknown_token",
    `${field} is not the current token of a user group in this environment. It may have been rotated: get the current one with GET.`,
  );
}
