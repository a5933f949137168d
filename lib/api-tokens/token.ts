import { createHash } from "node:crypto";
import { currentKey, indexOf, type Key } from "@/lib/crypto/keyring";
import { randomToken } from "@/lib/crypto/random-token";
import { open, seal } from "@/lib/crypto/seal";

const PURPOSE = "API token";
const CONTEXT = Buffer.from("API token digest");

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
