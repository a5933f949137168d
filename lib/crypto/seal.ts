import { randomBytes } from "node:crypto";
import { currentKey, type Key, usableKeys } from "@/lib/crypto/keyring";
import { decrypt, encrypt, NONCE_LENGTH, TAG_LENGTH } from "@/lib/crypto/xchacha";

const VERSION = 2;
const NONCE = 5;

/**
 * Encrypts with XChaCha20-Poly1305, bound to `context`: it opens only with the same context.
 * The layout is version (1 byte), key id (4), nonce (24), ciphertext, tag (16).
 */
export function seal(plaintext: string | Buffer, context: Buffer, key: Key = currentKey()): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  return Buffer.concat([Buffer.of(VERSION), key.id, nonce, encrypt(plaintext, nonce, { context, key: key.seal })]);
}

/**
 * Decrypts what {@link seal} made.
 * @throws when its key is not configured, the context differs, or it was altered
 */
export function open(sealed: Buffer, context: Buffer): Buffer {
  const key = usableKeys().find(({ id }) => isSealedUnder(sealed, id));
  if (!key || sealed.length < NONCE + NONCE_LENGTH + TAG_LENGTH) {
    throw new Error("a stored secret was sealed under a key that is not configured, or is damaged");
  }
  const message = sealed.subarray(NONCE);
  try {
    return decrypt({ message, context, key: key.seal });
  } catch (cause) {
    throw new Error("a stored secret does not belong to its row, or is damaged", { cause });
  }
}

/** Whether the key of this id sealed the value. */
export function isSealedUnder(sealed: Buffer, keyId: Buffer): boolean {
  return sealed[0] === VERSION && sealed.length > NONCE && sealed.compare(keyId, 0, keyId.length, 1, NONCE) === 0;
}
