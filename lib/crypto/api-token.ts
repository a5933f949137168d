import { createHash, timingSafeEqual } from "node:crypto";
import { currentKey, indexOf, type Key, usableKeys } from "@/lib/crypto/keyring";
import { randomToken } from "@/lib/crypto/random-token";
import { open, seal } from "@/lib/crypto/seal";

const PURPOSE = "API token";
const CONTEXT = Buffer.from("API token digest");
const BINDING_PURPOSE = "API token binding";
const BINDING_LENGTH = 16;

/** A new API token; its prefix tells the kind of environment. */
export function newApiTokenFor(tag: "Customer" | "Testing"): string {
  return randomToken(tag === "Customer" ? "uga_live_" : "uga_test_");
}

/** A token's SHA-256, from which a new key can index it again. */
export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The keyed hash that finds a token. */
export function apiTokenIndex(digest: Buffer, key: Key = currentKey()): Buffer {
  return indexOf(key, PURPOSE, digest);
}

/** Seals a token's digest, so that a rekey can index it under the new key: the token itself is not stored. */
export function sealDigest(digest: Buffer): Buffer {
  return seal(digest, CONTEXT);
}

/**
 * Opens what {@link sealDigest} made.
 * @throws when it is damaged, or its key is not configured
 */
export function openDigest(sealed: Buffer): Buffer {
  return open(sealed, CONTEXT);
}

/** The access of an API token; immutable. */
export interface Bound {
  environmentId: number;
  access: "read" | "write";
}

/** Binds a token, by its index, to its access. */
export function bindingOf(index: Buffer, { environmentId, access }: Bound, key: Key = currentKey()): Buffer {
  const bound = Buffer.concat([index, Buffer.from(`${environmentId} ${access}`)]);
  return indexOf(key, BINDING_PURPOSE, bound).subarray(0, BINDING_LENGTH);
}

/** Whether a token's row still matches {@link bindingOf}. */
export function isBound(index: Buffer, bound: Bound, binding: Buffer): boolean {
  return (
    binding.length === BINDING_LENGTH &&
    usableKeys().some((key) => timingSafeEqual(bindingOf(index, bound, key), binding))
  );
}
