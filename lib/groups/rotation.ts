import { createHash } from "node:crypto";
import type { PoolClient } from "pg";
import { authorOf, type Caller } from "@/lib/auth/caller";
import { newToken, storeToken, tokenIndexes } from "@/lib/crypto/group-token";
import { open, seal } from "@/lib/crypto/seal";
import { transaction } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import { AppError, invalidFields } from "@/lib/errors";
import { entityTags, type Group, noGroup, staleTag } from "@/lib/groups/group";
import { findNamed, recordHandOver } from "@/lib/groups/reveal";
import type { TokenRotation } from "@/lib/groups/schema";
import type { GroupCall } from "@/lib/groups/service";
import type { NamedGroup } from "@/lib/groups/token-schema";
import { swapToken } from "@/lib/store/changes";
import { meter } from "@/lib/telemetry/meter";

const MAX_KEY_CHARACTERS = 255;
/** How long an Idempotency-Key is kept. */
const KEPT = "24 hours";

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
  if (!/^[\x20-\x7e]+$/.test(idempotencyKey) || idempotencyKey.length > MAX_KEY_CHARACTERS) {
    const message = `must have 1 to ${MAX_KEY_CHARACTERS} visible ASCII characters`;
    throw invalidFields([{ path: ["Idempotency-Key"], message }]);
  }
  const entry: Entry = {
    actor: actorOf(caller),
    key: idempotencyKey,
    digest: createHash("sha256").update(input.current_token).digest(),
  };
  let isRepeated = false;
  const group = await transaction(async (client) => {
    isRepeated = !(await claim(client, entry));
    if (isRepeated) return remembered(client, entry);
    const rotated = await rotate(call, client);
    const answer = seal(JSON.stringify(rotated), answerContext(entry));
    await client.query("UPDATE idempotency_key SET answer_sealed = $3 WHERE actor = $1 AND key = $2", [
      entry.actor,
      entry.key,
      answer,
    ]);
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
}

/**
 * Gives the group a new token, if it still has a version of `ifMatch` and the token that it had when this began: of concurrent
 * callers one succeeds.
 * @throws {AppError} `unknown_user_group`, or `stale` when it has changed
 */
export async function replaceToken({ caller, input, ifMatch }: Replacement): Promise<Group> {
  const environmentId = caller.environment.id;
  const row = (await findNamed(environmentId, input)) ?? noGroup();
  const tags = entityTags(ifMatch);
  const { team_id: teamId, provided_id: providedId, version, token_index } = row;
  if (tags && !tags.includes(`${teamId}-${version}`)) throw staleTag(tags);
  const token = newToken();
  const stored = storeToken(token, { environmentId, providedId });
  const swap = {
    environmentId,
    teamId,
    oldIndexes: [token_index],
    newIndex: stored.tokenIndex,
    newSealed: stored.tokenSealed,
    ...(tags && { version }),
  };
  const rotated = await swapToken(swap, authorOf(caller));
  if (!rotated) throw staleTag(undefined);
  meter()?.changed("rotated");
  return { token, ...rotated };
}

/** Deletes expired keys. */
export async function forgetIdempotencyKeys() {
  await purge({ table: "idempotency_key", where: `created_at < now() - interval '${KEPT}'` });
}

/** The owner of a key. An API token belongs to one environment; a member works in all, with separate keys in each. */
function actorOf({ actorType, actorId, environment }: Caller): string {
  return actorType === "member" ? `member:${actorId}:${environment.id}` : `${actorType}:${actorId}`;
}

interface Entry {
  actor: string;
  key: string;
  digest: Buffer;
}

/** Claims the key, waiting for a concurrent use; false when it was used within 24 h. */
async function claim(client: PoolClient, { actor, key, digest }: Entry): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO idempotency_key AS used (actor, key, body_digest) VALUES ($1, $2, $3)
     ON CONFLICT (actor, key) DO UPDATE SET body_digest = $3, answer_sealed = NULL, created_at = now()
       WHERE used.created_at < now() - interval '${KEPT}'`,
    [actor, key, digest],
  );
  return rowCount === 1;
}

async function remembered(client: PoolClient, entry: Entry): Promise<Group> {
  const { rows } = await client.query<{ body_digest: Buffer; answer_sealed: Buffer }>(
    "SELECT body_digest, answer_sealed FROM idempotency_key WHERE actor = $1 AND key = $2",
    [entry.actor, entry.key],
  );
  const [found] = rows;
  if (!found?.body_digest.equals(entry.digest)) {
    throw new AppError(
      "idempotency_conflict",
      "This Idempotency-Key was already used with another body. Use a new key for a new request.",
    );
  }
  return JSON.parse(open(found.answer_sealed, answerContext(entry)).toString());
}

/** Binds a sealed answer to its key. */
export function answerContext({ actor, key }: { actor: string; key: string }): Buffer {
  return Buffer.from(`${actor}\0${key}`);
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
