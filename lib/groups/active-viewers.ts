import { createHmac, hash, randomBytes } from "node:crypto";
import type { PoolClient } from "pg";
import { perProcess } from "@/lib/config/per-process";
import { open, seal } from "@/lib/crypto/keyring";
import { query, statement } from "@/lib/db/pool";
import type { Count } from "@/lib/limits/deferred";

// A month's distinct viewers of a group: keyed hashes, of which the number alone outlives the month.

/** The bytes of a stored hash. */
export const HASH_BYTES = 16;
const KEY_BYTES = 32;

/** A viewer's id for {@link hashViewers}, which keeps no id in memory. */
export const digestOfViewer = (id: string) => hash("sha256", id, "base64");

/** Binds a sealed key to its environment. */
export const viewersKeyContext = (environmentId: number) => Buffer.from(`active viewers\0${environmentId}`);

/** By environment. */
const keys = perProcess("keys of active viewers", () => new Map<number, Buffer>());

const FIND_KEY = statement("find_viewers_key")`SELECT viewers_key AS sealed FROM environment WHERE id = $1`;
// Of two processes that make it, the second takes the first one's.
const MAKE_KEY = statement("make_viewers_key")`
  UPDATE environment SET viewers_key = coalesce(viewers_key, $2) WHERE id = $1 RETURNING viewers_key AS sealed`;

/** An environment's key; undefined once the environment is deleted. */
async function keyOf(client: PoolClient, environmentId: number): Promise<Buffer | undefined> {
  const known = keys.get(environmentId);
  if (known) return known;
  const context = viewersKeyContext(environmentId);
  const [found] = await query<{ sealed: Buffer | null }>(client, FIND_KEY, [environmentId]);
  if (found?.sealed) {
    const key = open(found.sealed, context);
    keys.set(environmentId, key);
    return key;
  }
  // Not kept: this transaction may fail.
  const made = seal(randomBytes(KEY_BYTES), context);
  const [row] = await query<{ sealed: Buffer }>(client, MAKE_KEY, [environmentId, made]);
  return row && open(row.sealed, context);
}

/** The keyed hashes of each count's viewers, one after the other. */
export async function hashViewers(client: PoolClient, counts: Count[]): Promise<Buffer[]> {
  const environmentIds = new Set(counts.flatMap(({ viewers, environmentId }) => (viewers ? [environmentId] : [])));
  const found = new Map<number, Buffer | undefined>();
  // In one order, as making a key locks its environment.
  for (const id of [...environmentIds].sort((one, other) => one - other)) found.set(id, await keyOf(client, id));
  return counts.map(({ id, environmentId, viewers }) => {
    const key = found.get(environmentId);
    return Buffer.concat(key && viewers ? [...viewers].map((viewer) => keyedHash(key, id, viewer)) : []);
  });
}

/** A group's own: nobody sees which groups share a viewer. */
function keyedHash(key: Buffer, teamId: number, viewer: string): Buffer {
  return createHmac("sha256", key).update(`${teamId} ${viewer}`).digest().subarray(0, HASH_BYTES);
}
