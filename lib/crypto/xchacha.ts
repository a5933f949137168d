import sodium from "libsodium-wrappers";

await sodium.ready;

/** libsodium as it was compiled: its functions take addresses in its memory, and lengths of 64 bits in two halves. */
interface Compiled {
  /** all of its memory; another array once that has grown */
  HEAPU8: Uint8Array;
  _malloc(bytes: number): number;
  _free(address: number): void;
  _crypto_aead_xchacha20poly1305_ietf_decrypt(...addressesAndLengths: number[]): number;
}

interface Message {
  /** the nonce, the ciphertext, and the tag: no shorter than nonce and tag are */
  message: Uint8Array;
  /** what it is bound to */
  context: Uint8Array;
  /** 32 bytes */
  key: Uint8Array;
}

export const NONCE_LENGTH = 24;
export const TAG_LENGTH = 16;

const { libsodium } = sodium as unknown as { libsodium: Compiled };
const openAt = libsodium._crypto_aead_xchacha20poly1305_ietf_decrypt;
let memory = Buffer.from(libsodium.HEAPU8.buffer);
/** What stays ours of its memory: the wrapper takes and frees six pieces for each message, which costs more than to open it. */
let kept = { address: 0, length: 0 };

/** Encrypts with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha): gives the ciphertext, and the tag. */
export function encrypt(
  plaintext: string | Buffer,
  nonce: Uint8Array,
  { context, key }: Pick<Message, "context" | "key">,
): Uint8Array {
  return sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plaintext, context, null, nonce, key);
}

/**
 * Decrypts what {@link encrypt} made.
 * @throws when it was made with another key or beside another context, or was altered
 */
export function decrypt({ message, context, key }: Message): Buffer {
  const keyAt = keep(key.length + context.length + 2 * message.length);
  const contextAt = keyAt + key.length;
  const nonceAt = contextAt + context.length;
  const cipherAt = nonceAt + NONCE_LENGTH;
  const plainAt = nonceAt + message.length;
  const length = message.length - NONCE_LENGTH;
  memory.set(key, keyAt);
  memory.set(context, contextAt);
  memory.set(message, nonceAt);
  const failure = openAt(plainAt, 0, 0, cipherAt, length, 0, contextAt, context.length, 0, nonceAt, keyAt);
  if (failure !== 0) throw new Error("the tag does not fit the ciphertext, its context and the key");
  const plaintext = Buffer.allocUnsafe(length - TAG_LENGTH);
  memory.copy(plaintext, 0, plainAt);
  return plaintext;
}

/** The address of so many bytes, which are overwritten the next time. */
function keep(length: number): number {
  if (length > kept.length) {
    libsodium._free(kept.address);
    kept = { address: 0, length: 0 };
    const address = libsodium._malloc(length);
    if (address === 0) throw new Error(`libsodium has no room for ${length} bytes`);
    kept = { address, length };
  }
  // It may have grown, by this or by what was encrypted since.
  if (memory.buffer !== libsodium.HEAPU8.buffer) memory = Buffer.from(libsodium.HEAPU8.buffer);
  return kept.address;
}
