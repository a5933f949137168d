import sodium from "libsodium-wrappers";

await sodium.ready;

interface Message {
  /** nonce, ciphertext and tag: at least as long as nonce and tag */
  message: Uint8Array;
  /** additional authenticated data */
  context: Uint8Array;
  /** 32 bytes */
  key: Uint8Array;
}

export const NONCE_LENGTH = 24;
export const TAG_LENGTH = 16;

/** Encrypts with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha): returns the ciphertext and the tag. */
export function encrypt(
  plaintext: string | Buffer,
  nonce: Uint8Array,
  { context, key }: Pick<Message, "context" | "key">,
): Uint8Array {
  return sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, context, null, nonce, key);
}

/**
 * Decrypts what {@link encrypt} made.
 * @throws when the key or context differs, or it was altered
 */
export function decrypt({ message, context, key }: Message): Buffer {
  const nonce = message.subarray(0, NONCE_LENGTH);
  const ciphertext = message.subarray(NONCE_LENGTH);
  return Buffer.from(sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(null, ciphertext, context, nonce, key));
}
