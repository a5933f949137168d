import { currentKey, indexOf, type Key, usableKeys } from "@/lib/crypto/keyring";
import { findRandomToken, randomToken } from "@/lib/crypto/random-token";
import { open, seal } from "@/lib/crypto/seal";

const PREFIX = "ugt_";
const PURPOSE = "user group token";

interface Place {
  environmentId: number;
  providedId: string;
}

/** A user group token as it is stored: sealed for the row it belongs to, and found again by a keyed hash. */
export interface StoredToken {
  tokenIndex: Buffer;
  tokenSealed: Buffer;
}

/** A new user group token. */
export function newToken(): string {
  return randomToken(PREFIX);
}

/** The first user group token that stands somewhere in a text: in a URL or a snippet, say. */
export function findTokenIn(text: string): string | undefined {
  return findRandomToken(text, PREFIX);
}

/** A token as it is shown to those who may not see it, or not yet: then with its last characters. */
export function maskToken(token: string | undefined): string {
  return `${PREFIX}${"•".repeat(12)}${token?.slice(-4) ?? "•".repeat(4)}`;
}

/** The keyed hash a token is found by. */
function tokenIndex(token: string, key: Key = currentKey()): Buffer {
  return indexOf(key, PURPOSE, token);
}

/** The keyed hashes a token may be found by while rows of the previous key are left. */
export function tokenIndexes(token: string): Buffer[] {
  return usableKeys().map((key) => tokenIndex(token, key));
}

/** Seals a token for its row under the current key. */
export function storeToken(token: string, place: Place): StoredToken {
  const index = tokenIndex(token);
  return { tokenIndex: index, tokenSealed: seal(token, context(place, index)) };
}

/**
 * Opens the token of a row.
 * @throws when the row's ciphertext is another row's, damaged, or of a key that is not configured
 */
export function openToken(row: Place & StoredToken): string {
  return open(row.tokenSealed, context(row, row.tokenIndex)).toString("latin1");
}

/** What the ciphertext is bound to: moved to another group or beside another hash it opens no more. */
function context({ environmentId, providedId }: Place, index: Buffer): Buffer {
  const bound = Buffer.allocUnsafe(4 + index.length + Buffer.byteLength(providedId));
  bound.writeInt32BE(environmentId);
  index.copy(bound, 4);
  bound.write(providedId, 4 + index.length);
  return bound;
}
