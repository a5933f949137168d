import { createHash, timingSafeEqual } from "node:crypto";
import { currentKey, indexOf, type Key, open, seal, usableKeys } from "@/lib/crypto/keyring";
import { findRandomToken, randomToken } from "@/lib/crypto/random-token";

const PURPOSE = "API token";
const CONTEXT = Buffer.from("API token digest");
const BINDING_PURPOSE = "API token binding";
const BINDING_LENGTH = 16;

const PREFIXES = { Customer: "uga_live_", Testing: "uga_test_" } as const;
const HINTED_CHARACTERS = 4;

/** The kind of an environment, which is in the prefix of its API tokens. */
export type EnvironmentTag = keyof typeof PREFIXES;

/** A new API token; its prefix shows the kind of environment. */
export function newApiTokenFor(tag: EnvironmentTag): string {
  return randomToken(PREFIXES[tag]);
}

/**
 * How a token begins and ends, such as "uga_test_…9fQ2"; null for a token we did not make, which may be easy to guess.
 */
export function hintOf(token: string): string | null {
  const prefix = Object.values(PREFIXES).find((one) => findRandomToken(token, one) === token);
  return prefix ? `${prefix}…${token.slice(-HINTED_CHARACTERS)}` : null;
}

/** The hint for tokens from before {@link hintOf}: only how they begin. */
export function beginningOf(tag: EnvironmentTag): string {
  return `${PREFIXES[tag]}…`;
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

/** What an API token is for; immutable. */
interface Bound {
  environmentId: number;
  /** as {@link grantOf} writes it */
  grant: string;
}

interface Grant {
  /** of tokens that predate scopes */
  access: "read" | "write";
  scopes: readonly string[] | null;
  networks: readonly string[];
}

/** What an API token may do and from where, as text. */
export function grantOf({ access, scopes, networks }: Grant): string {
  return scopes ? `${scopes.join(" ")};${networks.join(" ")}` : access;
}

/** {@link grantOf} for the row `t` of api_token, in SQL. */
export const GRANT =
  "coalesce(array_to_string(t.scopes, ' ') || ';' || array_to_string(t.allowed_networks, ' '), t.access::text)";

/** Binds a token, by its index, to what it is for. */
export function bindingOf(index: Buffer, { environmentId, grant }: Bound, key: Key = currentKey()): Buffer {
  const bound = Buffer.concat([index, Buffer.from(`${environmentId} ${grant}`)]);
  return indexOf(key, BINDING_PURPOSE, bound).subarray(0, BINDING_LENGTH);
}

/** Whether a token's row still matches {@link bindingOf}. */
export function isBound(index: Buffer, bound: Bound, binding: Buffer): boolean {
  return (
    binding.length === BINDING_LENGTH &&
    usableKeys().some((key) => timingSafeEqual(bindingOf(index, bound, key), binding))
  );
}
