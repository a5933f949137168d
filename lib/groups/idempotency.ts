import type { PoolClient } from "pg";
import type { Caller } from "@/lib/auth/caller";
import { open, seal } from "@/lib/crypto/keyring";
import { purge } from "@/lib/db/purge";
import { AppError, invalidFields } from "@/lib/errors";

const MAX_KEY_CHARACTERS = 255;
/** How long an Idempotency-Key is kept. */
const KEPT = "24 hours";

/** A use of an Idempotency-Key. */
export interface Entry {
  actor: string;
  key: string;
  /** of the request */
  digest: Buffer;
}

/**
 * A caller's use of a key.
 * @throws {AppError} `invalid_fields`
 */
export function entryOf(caller: Caller, key: string, digest: Buffer): Entry {
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > MAX_KEY_CHARACTERS) {
    const message = `must have 1 to ${MAX_KEY_CHARACTERS} visible ASCII characters`;
    throw invalidFields([{ path: ["Idempotency-Key"], message }]);
  }
  return { actor: actorOf(caller), key, digest };
}

/** The owner of a key. An API token belongs to one environment; a member works in all, with separate keys in each. */
function actorOf({ actorType, actorId, environment }: Caller): string {
  return actorType === "member" ? `member:${actorId}:${environment.id}` : `${actorType}:${actorId}`;
}

/** Claims the key, waiting for a concurrent use; false if it was used within 24 h. */
export async function claim(client: PoolClient, { actor, key, digest }: Entry): Promise<boolean> {
  const { rowCount } = await client.query(
    `INSERT INTO idempotency_key AS used (actor, key, body_digest) VALUES ($1, $2, $3)
     ON CONFLICT (actor, key) DO UPDATE SET body_digest = $3, answer_sealed = NULL, created_at = now()
       WHERE used.created_at < now() - interval '${KEPT}'`,
    [actor, key, digest],
  );
  return rowCount === 1;
}

/** Keeps an answer with its key, sealed. */
export async function keepAnswer(client: PoolClient, entry: Entry, answer: unknown) {
  await client.query("UPDATE idempotency_key SET answer_sealed = $3 WHERE actor = $1 AND key = $2", [
    entry.actor,
    entry.key,
    seal(JSON.stringify(answer), answerContext(entry)),
  ]);
}

/**
 * The answer kept with a key that was claimed before; locks the key until the transaction ends.
 * @throws {AppError} `idempotency_conflict` when it was claimed for another request
 */
export async function keptAnswer<Answer>(client: PoolClient, entry: Entry): Promise<Answer> {
  const { rows } = await client.query<{ body_digest: Buffer; answer_sealed: Buffer }>(
    "SELECT body_digest, answer_sealed FROM idempotency_key WHERE actor = $1 AND key = $2 FOR UPDATE",
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

/** Deletes expired keys. */
export async function forgetIdempotencyKeys() {
  await purge({ table: "idempotency_key", where: `created_at < now() - interval '${KEPT}'` });
}
