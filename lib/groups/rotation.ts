import { createHash } from "node:crypto";
import type { ClientBase, PoolClient } from "pg";
import { type Asked, type AskedIf, authorOf, type Caller } from "@/lib/auth/caller";
import type { Author } from "@/lib/authority/authority";
import { newToken, storeToken, tokenIndexes } from "@/lib/crypto/group-token";
import { transaction } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { AppError } from "@/lib/errors";
import {
  entityTags,
  findNamed,
  type GroupWithToken,
  noGroup,
  recordHandOver,
  staleTag,
  toGroup,
} from "@/lib/groups/group";
import { claim, type Entry, entryOf, keepAnswer, keptAnswer } from "@/lib/groups/idempotency";
import type { TokenRotation } from "@/lib/groups/schema";
import type { GroupCall } from "@/lib/groups/service";
import type { TokenReplacement } from "@/lib/groups/token-schema";
import { findGroup, type GroupRow } from "@/lib/store/group-row";
import { type EndedOverlap, endOverlap, findByPrevious } from "@/lib/store/previous-token";
import { type Swapped, swapToken, swapTokens, type TokenSwap } from "@/lib/store/token-swaps";
import { meter } from "@/lib/telemetry/current";

/** A rotation's outcome; `isRepeated` if an earlier call gave the token. */
interface Rotation {
  group: GroupWithToken;
  isRepeated: boolean;
}

/**
 * Gives the group a new token; the old one stops working immediately, or after an overlap. Within an overlap, the old
 * token sent again with `overlap_seconds` gets the same new one. With an Idempotency-Key the rotation happens once, and
 * repetitions within 24 h get the first answer.
 * @throws {AppError} `unknown_token` when the token is not a group's current one, `overlap_running`, or
 * `idempotency_conflict` when the key was used with another body
 */
export function rotateByToken(
  call: GroupCall<TokenRotation> & { idempotencyKey: string | undefined },
): Promise<GroupWithToken> {
  const { current_token: token, overlap_seconds: overlap = 0 } = call.input;
  const asked = overlap === 0 ? token : JSON.stringify([token, overlap]);
  return rotateOnce(call, asked, (client) => rotate(call, client));
}

/**
 * Rotates once per key, if there is one; repetitions get the first answer. Repeating a token to a member is recorded.
 */
async function rotateOnce(
  { caller, idempotencyKey }: { caller: Caller; idempotencyKey: string | undefined },
  asked: string,
  rotate: (client?: PoolClient) => Promise<Rotation>,
): Promise<GroupWithToken> {
  const { group, isRepeated } = await (idempotencyKey === undefined
    ? rotate()
    : rotateByKey(entryOf(caller, idempotencyKey, createHash("sha256").update(asked).digest()), rotate));
  if (isRepeated) await recordHandOver(caller, group.teamId);
  return group;
}

function rotateByKey(entry: Entry, rotate: (client: PoolClient) => Promise<Rotation>): Promise<Rotation> {
  return transaction(async (client) => {
    if (!(await claim(client, entry))) return { group: await keptAnswer(client, entry), isRepeated: true };
    const rotated = await rotate(client);
    await keepAnswer(client, entry, rotated.group);
    return rotated;
  });
}

/** A rotation by a caller who does not hold the current token. */
interface Replacement extends AskedIf<TokenReplacement> {
  idempotencyKey: string | undefined;
}

/**
 * Gives the group a new token if it still matches `ifMatch` and has the token that it had when the call began, so that
 * only one of several concurrent callers succeeds. An Idempotency-Key works as in {@link rotateByToken}.
 * @throws {AppError} `unknown_user_group`, `stale` when the group has changed, `overlap_running` or
 * `idempotency_conflict`
 */
export async function replaceToken(call: Replacement): Promise<GroupWithToken> {
  const { caller, input } = call;
  const row = await findNamed(caller.environment.id, input);
  const overlap = input.overlap_seconds ? [input.overlap_seconds] : [];
  const asked = JSON.stringify(["replace", input.team_id, input.user_group_id, ...overlap]);
  return rotateOnce(call, asked, (client) => replace(call, row, client));
}

/**
 * Gives the group with this id a new token, for the operator; the old one stops working.
 * @throws {AppError} `unknown_user_group`, or `stale` when its token changed at the same time
 */
export async function replaceTokenOf(
  { environmentId, providedId }: { environmentId: number; providedId: string },
  author: Author,
): Promise<GroupWithToken> {
  const row = (await findGroup(environmentId, { providedId })) ?? (await noGroup(environmentId, providedId));
  const group = await giveToken(author, row, { oldIndexes: [row.token_index], overlapSeconds: 0 });
  if (!group) throw staleTag(undefined);
  return group;
}

async function replace(
  { caller, input, ifMatch }: Replacement,
  found: GroupRow | undefined,
  client?: PoolClient,
): Promise<Rotation> {
  const row = found ?? (await noGroup(caller.environment.id, input.user_group_id, client));
  const tags = entityTags(ifMatch);
  const { team_id: teamId, version, token_index } = row;
  if (tags && !tags.includes(`${teamId}-${version}`)) throw staleTag(tags);
  const swap = { oldIndexes: [token_index], overlapSeconds: input.overlap_seconds ?? 0, ...(tags && { version }) };
  const group = await giveToken(authorOf(caller), row, swap, client);
  if (!group) throw staleTag(undefined);
  return { group, isRepeated: false };
}

async function rotate({ caller, input, group }: GroupCall<TokenRotation>, client?: PoolClient): Promise<Rotation> {
  const { current_token: token, overlap_seconds: overlapSeconds = 0 } = input;
  const oldIndexes = tokenIndexes(token);
  const rotated = group && (await giveToken(authorOf(caller), group, { oldIndexes, overlapSeconds }, client));
  if (rotated) return { group: rotated, isRepeated: false };
  const successor =
    overlapSeconds > 0 ? await findByPrevious(caller.environment.id, oldIndexes, { client }) : undefined;
  if (!successor?.previous || successor.hasEnded) return unknownToken();
  const previousTokenValidUntil = successor.previous.validUntil.toISOString();
  return { group: { ...toGroup(successor), previousTokenValidUntil }, isRepeated: true };
}

/**
 * Gives a group a new token if its current token and version are still those of `old`; undefined otherwise.
 * @throws {AppError} `overlap_running`
 */
async function giveToken(
  author: Author,
  { environment_id: environmentId, team_id: teamId, provided_id: providedId }: GroupRow,
  old: Pick<TokenSwap, "oldIndexes" | "version" | "overlapSeconds">,
  client?: PoolClient,
): Promise<GroupWithToken | undefined> {
  const token = newToken();
  const { tokenIndex: newIndex, tokenSealed: newSealed } = storeToken(token, { environmentId, providedId });
  const swap = { environmentId, teamId, providedId, newIndex, newSealed, ...old };
  const rotated = await swapToken(swap, author, client);
  if (rotated === "renamed") {
    const now = await findGroup(environmentId, { teamId });
    return now && giveToken(author, now, old, client);
  }
  if (!rotated) return undefined;
  if (rotated === "overlap_running") throw overlapRunning();
  meter()?.changed("rotated");
  const { previousValidUntil, ...group } = rotated;
  return { token, ...group, ...(previousValidUntil && { previousTokenValidUntil: previousValidUntil.toISOString() }) };
}

/**
 * Gives groups of an environment new tokens, whatever tokens they have, within the connection's transaction, which
 * holds their locks; returns each one's outcome, in the order of `groups`.
 */
export async function rotateGroups(
  client: ClientBase,
  { environmentId, author, groups, overlapSeconds }: Rotations,
): Promise<Swapped[]> {
  if (groups.length === 0) return [];
  const authored = groups.map(({ teamId, providedId }) => {
    const { tokenIndex: newIndex, tokenSealed: newSealed } = storeToken(newToken(), { environmentId, providedId });
    const change = { environmentId, teamId, providedId, oldIndexes: undefined, newIndex, newSealed, overlapSeconds };
    return { change, author };
  });
  const swapped = await swapTokens(authored, client);
  return authored.map((one) => swapped.get(one));
}

interface Rotations {
  environmentId: number;
  author: Author;
  groups: { teamId: number; providedId: string }[];
  overlapSeconds: number;
}

/** The error for a rotation that would leave a group with two previous tokens. */
export function overlapRunning(): AppError {
  return new AppError(
    "overlap_running",
    "The token before the current one is still valid, and a group has one previous token at most. " +
      "Wait until it ends, end it with POST /api/user/end-overlap, or rotate without overlap_seconds, which ends " +
      "both.",
  );
}

/**
 * Ends the overlap of a group's last rotation: the previous token stops working immediately. Does nothing if no overlap
 * is running.
 * @throws {AppError} `unknown_user_group`
 */
export async function endGroupOverlap({ caller, input }: Asked<{ user_group_id: string }>): Promise<EndedOverlap> {
  const place = { environmentId: caller.environment.id, providedId: input.user_group_id };
  return (await endOverlap(place, authorOf(caller))) ?? noGroup(place.environmentId, place.providedId);
}

/** Deletes previous tokens after their overlaps. */
export async function forgetPreviousTokens() {
  await purge({ table: "previous_token", where: "valid_until <= now()" });
}

/** @throws {AppError} `unknown_token`, naming the field that holds it */
export function unknownToken(field: "current_token" | "token" = "current_token"): never {
  throw new AppError(
    "unknown_token",
    `${field} is not the current token of a user group in this environment. It may have been rotated: ` +
      "get the current one with GET.",
  );
}
