import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { currentKey, type Key, usableKeys } from "@/lib/crypto/keyring";

const VERSION = 1;
const NONCE = 5;
const CIPHERTEXT = NONCE + 12;
const TAG_LENGTH = 16;

/**
 * Encrypts with AES-256-GCM, bound to `context`: it opens only beside the same context (NIST SP 800-38D).
 * The layout is version (1 byte), key id (4), nonce (12), ciphertext, tag (16).
 */
export function seal(plaintext: string | Buffer, context: Buffer, key: Key = currentKey()): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key.seal, nonce).setAAD(context);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), key.id, nonce, ciphertext, cipher.getAuthTag()]);
}

/**
 * Decrypts what {@link seal} made.
 * @throws when it was sealed under a key that is not configured, beside another context, or was altered
 */
export function open(sealed: Buffer, context: Buffer): Buffer {
  const key = usableKeys().find(({ id }) => isSealedUnder(sealed, id));
  if (!key || sealed.length < CIPHERTEXT + TAG_LENGTH) {
    throw new Error("a stored secret was sealed under a key that is not configured, or is damaged");
  }
  const tag = sealed.length - TAG_LENGTH;
  const decipher = createDecipheriv("aes-256-gcm", key.seal, sealed.subarray(NONCE, CIPHERTEXT), {
    authTagLength: TAG_LENGTH,
  });
  decipher.setAAD(context).setAuthTag(sealed.subarray(tag));
  try {
    const plaintext = decipher.update(sealed.subarray(CIPHERTEXT, tag));
    // Of a stream cipher nothing is left by now but to hold the tag against it.
    decipher.final();
    return plaintext;
  } catch (cause) {
    throw new Error("a stored secret does not belong to its row, or is damaged", { cause });
  }
}

/** Whether the key of this id sealed the value. */
export function isSealedUnder(sealed: Buffer, keyId: Buffer): boolean {
  return sealed[0] === VERSION && sealed.length > NONCE && sealed.compare(keyId, 0, keyId.length, 1, NONCE) === 0;
}
