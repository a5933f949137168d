import { createDecipheriv, randomBytes } from "node:crypto";
import sodium from "libsodium-wrappers";
import { currentKey, type Key, usableKeys } from "@/lib/crypto/keyring";

await sodium.ready;

const VERSION = 2;
/** What was sealed before, by AES-256-GCM, is opened still. */
const FIRST_VERSION = 1;
const NONCE = 5;
const NONCE_LENGTH = { [FIRST_VERSION]: 12, [VERSION]: 24 };
const TAG_LENGTH = 16;

/**
 * Encrypts with XChaCha20-Poly1305, bound to `context`: it opens only beside the same context (draft-irtf-cfrg-xchacha).
 * The layout is version (1 byte), key id (4), nonce (24), ciphertext, tag (16).
 */
export function seal(plaintext: string | Buffer, context: Buffer, key: Key = currentKey()): Buffer {
  const nonce = randomBytes(NONCE_LENGTH[VERSION]);
  const ciphertext = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, context, null, nonce, key.seal);
  return Buffer.concat([Buffer.of(VERSION), key.id, nonce, ciphertext]);
}

/**
 * Decrypts what {@link seal} made.
 * @throws when it was sealed under a key that is not configured, beside another context, or was altered
 */
export function open(sealed: Buffer, context: Buffer): Buffer {
  const key = usableKeys().find(({ id }) => isSealedUnder(sealed, id));
  const start = NONCE + (sealed[0] === FIRST_VERSION ? NONCE_LENGTH[FIRST_VERSION] : NONCE_LENGTH[VERSION]);
  if (!key || sealed.length < start + TAG_LENGTH) {
    throw new Error("a stored secret was sealed under a key that is not configured, or is damaged");
  }
  const nonce = sealed.subarray(NONCE, start);
  const ciphertext = sealed.subarray(start);
  try {
    if (sealed[0] === FIRST_VERSION) return openFirst({ key, nonce, ciphertext, context });
    const plaintext = sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, ciphertext, context, nonce, key.seal);
    return Buffer.from(plaintext);
  } catch (cause) {
    throw new Error("a stored secret does not belong to its row, or is damaged", { cause });
  }
}

interface Sealed {
  key: Key;
  nonce: Buffer;
  ciphertext: Buffer;
  context: Buffer;
}

function openFirst({ key, nonce, ciphertext, context }: Sealed): Buffer {
  const tag = ciphertext.length - TAG_LENGTH;
  const decipher = createDecipheriv("aes-256-gcm", key.firstSeal, nonce, { authTagLength: TAG_LENGTH });
  decipher.setAAD(context).setAuthTag(ciphertext.subarray(tag));
  return Buffer.concat([decipher.update(ciphertext.subarray(0, tag)), decipher.final()]);
}

/** Whether the key of this id sealed the value. */
export function isSealedUnder(sealed: Buffer, keyId: Buffer): boolean {
  const isKnown = sealed[0] === VERSION || sealed[0] === FIRST_VERSION;
  return isKnown && sealed.length > NONCE && sealed.compare(keyId, 0, keyId.length, 1, NONCE) === 0;
}
