import { createHash, timingSafeEqual } from "node:crypto";
import { currentKey, indexOf, type Key, usableKeys } from "@/lib/crypto/keyring";
import { randomToken } from "@/lib/crypto/random-token";
import { open, seal } from "@/lib/crypto/seal";

const PURPOSE = "API token";
const CONTEXT = Buffer.from("API token digest");
const BINDING_PURPOSE = "API token binding";
const BINDING_LENGTH = 16;

/** A new API token; its prefix says which kind of environment it is for. */
export function newApiTokenFor(tag: "Customer" | "Testing"): string {
  return randomToken(tag === "Customer" ? "uga_live_" : "uga_test_");
}

/** The SHA-256 of a token: it stands for the token where a new key must index it again. */
export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The keyed hash a token is found by. */
export function apiTokenIndex(digest: Buffer, key: Key = currentKey()): Buffer {
  return indexOf(key, PURPOSE, digest);
}

/** Seals a token's digest, from which a rekey makes the index under the new key: the token itself is kept nowhere. */
export function sealDigest(digest: Buffer): Buffer {
  return seal(digest, CONTEXT);
}

/**
 * Opens what {@link sealDigest} made.
 * @throws when it is damaged or of a key that is not configured
 */
export function openDigest(sealed: Buffer): Buffer {
  return open(sealed, CONTEXT);
}

/** What an API token is for; nothing changes it. */
export interface Bound {
  environmentId: number;
  access: "read" | "write";
}

/** Binds a token, by its index, to what it is for. */
export function bindingOf(index: Buffer, { environmentId, access }: Bound, key: Key = currentKey()): Buffer {
  const bound = Buffer.concat([index, Buffer.from(`${environmentId} ${access}`)]);
  return indexOf(key, BINDING_PURPOSE, bound).subarray(0, BINDING_LENGTH);
}

/** Whether a token's row says what {@link bindingOf} has bound it to. */
export function isBound(index: Buffer, bound: Bound, binding: Buffer): boolean {
  return (
    binding.length === BINDING_LENGTH &&
    usableKeys().some((key) => timingSafeEqual(bindingOf(index, bound, key), binding))
  );
}
