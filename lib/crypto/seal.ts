import { randomBytes } from "node:crypto";
import sodium from "libsodium-wrappers";
import { currentKey, type Key, usableKeys } from "@/lib/crypto/keyring";

await sodium.ready;

const VERSION = 2;
/** Where the nonce begins. */
const NONCE = 5;
const NONCE_LENGTH = 24;
const TAG_LENGTH = 16;

/**
 * Encrypts with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha), bound to `context`: it opens only with the same context.
 * The layout is version (1 byte), key id (4), nonce (24), ciphertext, tag (16).
 */
export function seal(plaintext: string | Buffer, context: Buffer, key: Key = currentKey()): Buffer {
  const nonce = randomBytes(NONCE_LENGTH);
  const encrypted = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, context, null, nonce, key.seal);
  return Buffer.concat([Buffer.of(VERSION), key.id, nonce, encrypted]);
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
  const nonce = sealed.subarray(NONCE, NONCE + NONCE_LENGTH);
  const encrypted = sealed.subarray(NONCE + NONCE_LENGTH);
  try {
    return Buffer.from(sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, encrypted, context, nonce, key.seal));
  } catch (cause) {
    throw new Error("a stored secret does not belong to its row, or is damaged", { cause });
  }
}

/** Whether the key of this id sealed the value. */
export function isSealedUnder(sealed: Buffer, keyId: Buffer): boolean {
  return sealed[0] === VERSION && sealed.length > NONCE && sealed.compare(keyId, 0, keyId.length, 1, NONCE) === 0;
}
