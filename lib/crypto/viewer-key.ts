import { createHash, createHmac } from "node:crypto";
import { open, seal, viewerHashKey } from "@/lib/crypto/keyring";

// A viewer is stored only as a hash: keyed, so that no one can try ids, and different in each group.

export const VIEWER_KEY_BYTES = 16;
const CONTEXT = Buffer.from("key of viewers' hashes");

/** A viewer's id as a keyed hash, 32 bytes, from which {@link viewerKey} is derived. */
export function viewerHash(id: string): Buffer {
  return createHmac("sha256", viewerHashKey()).update("viewer\0").update(id).digest();
}

/** What identifies a viewer within one group. */
export function viewerKey(hash: Buffer, group: { environment_id: number; team_id: number }): Buffer {
  const place = Buffer.alloc(8);
  place.writeInt32BE(group.environment_id);
  place.writeInt32BE(group.team_id, 4);
  return createHash("sha256").update(hash).update(place).digest().subarray(0, VIEWER_KEY_BYTES);
}

/** SQL for the {@link viewerKey} of a hash in group `g`. */
export const viewerKeyOf = (hash: string, g: string) =>
  `substring(sha256(${hash} || int4send(${g}.environment_id) || int4send(${g}.team_id)) FOR ${VIEWER_KEY_BYTES})`;

/** Seals the key of viewers' hashes. */
export const sealViewersKey = (key: Buffer) => seal(key, CONTEXT);

/** Opens what {@link sealViewersKey} made. @throws when it is damaged, or its key is not configured */
export const openViewersKey = (sealed: Buffer) => open(sealed, CONTEXT);
