import { currentKey, indexOf, type Key, open, seal, usableKeys } from "@/lib/crypto/keyring";
import { findRandomToken, randomToken } from "@/lib/crypto/random-token";

const PREFIX = "ugt_";
const PURPOSE = "user group token";

interface SealedFor {
  environmentId: number;
  providedId: string;
}

/** A stored user group token: sealed for its row, and found by a keyed hash. */
interface StoredToken {
  tokenIndex: Buffer;
  tokenSealed: Buffer;
}

/** A new user group token. */
export function newToken(): string {
  return randomToken(PREFIX);
}

/** The first user group token in a text, such as a URL or a snippet. */
export function findTokenIn(text: string): string | undefined {
  return findRandomToken(text, PREFIX);
}

/** The keyed hash that finds a token. */
function tokenIndex(token: string, key: Key = currentKey()): Buffer {
  return indexOf(key, PURPOSE, token);
}

/** The keyed hashes that may find a token while rows of the previous key remain. */
export function tokenIndexes(token: string): Buffer[] {
  return usableKeys().map((key) => tokenIndex(token, key));
}

/** Seals a token for its row under the current key. */
export function storeToken(token: string, place: SealedFor): StoredToken {
  const index = tokenIndex(token);
  return { tokenIndex: index, tokenSealed: seal(token, context(place, index)) };
}

/**
 * Opens the token of a row.
 * @throws when the ciphertext is another row's, is damaged, or its key is not configured
 */
export function openToken(row: SealedFor & StoredToken): string {
  return open(row.tokenSealed, context(row, row.tokenIndex)).toString("latin1");
}

/** Binds the ciphertext to its group and hash: elsewhere it does not open. */
function context({ environmentId, providedId }: SealedFor, index: Buffer): Buffer {
  const bound = Buffer.allocUnsafe(4 + index.length + Buffer.byteLength(providedId));
  bound.writeInt32BE(environmentId);
  index.copy(bound, 4);
  bound.write(providedId, 4 + index.length);
  return bound;
}
