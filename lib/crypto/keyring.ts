import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import sodium from "libsodium-wrappers";
import { perProcess } from "@/lib/config/per-process";
import { unavailable } from "@/lib/errors";

/** Keys derived from one secret key; `id` labels the values it sealed, and reveals nothing about it. */
export interface Key {
  readonly id: Buffer;
  readonly seal: Buffer;
  readonly index: Buffer;
  readonly session: Buffer;
}

/** The current key, and the previous one while old rows are being re-sealed. */
interface Keyring {
  current: Key | undefined;
  previous: Key | undefined;
  secrets: Secrets | undefined;
}

type Secrets = [current: Buffer, previous: Buffer | undefined, viewers: Buffer | undefined];

const keyring = perProcess<Keyring>("keyring", () => ({ current: undefined, previous: undefined, secrets: undefined }));

/** Sets the keys of this process; the key of viewers' hashes is known only once the database has been read. */
export function setKeys(current: Buffer, previous: Buffer | undefined, viewers?: Buffer) {
  keyring.current = deriveKey(current);
  keyring.previous = previous && deriveKey(previous);
  keyring.secrets = [current, previous, viewers];
}

/** The secrets that another process of the service derives the keys from. */
export function secretKeys(): Secrets {
  if (!keyring.secrets) throw new Error("setKeys() has not been called");
  return keyring.secrets;
}

/**
 * The key that seals and indexes new values.
 * @throws {AppError} `unavailable` in a process that has not been given one yet
 */
export function currentKey(): Key {
  return keyring.current ?? noKeyYet();
}

/**
 * The key of viewers' hashes, the same for the life of a database.
 * @throws {AppError} `unavailable` in a process that has not been given it yet
 */
export function viewerHashKey(): Buffer {
  return keyring.secrets?.[2] ?? noKeyYet();
}

function noKeyYet(): never {
  throw unavailable("no key yet", "The service is still starting.");
}

/**
 * The keys that may have sealed or indexed a stored value, the current one last: a rekey moves rows to it,
 * so that a search in this order cannot miss a row that moves.
 */
export function usableKeys(): Key[] {
  return keyring.previous ? [keyring.previous, currentKey()] : [currentKey()];
}

/** Indexes a secret without storing it: HMAC-SHA-256 under the key, 32 bytes, a separate family per purpose. */
export function indexOf(key: Key, purpose: string, secret: string | Buffer): Buffer {
  return createHmac("sha256", key.index).update(`${purpose}\0`).update(secret).digest();
}

/** Derives the key for each use from a secret key of 32 bytes (HKDF-SHA-256, RFC 5869). */
export function deriveKey(secret: Buffer): Key {
  const derive = (use: string, length: number) =>
    Buffer.from(hkdfSync("sha256", secret, "", `user-group-service ${use}`, length));
  return {
    id: derive("id", 4),
    seal: derive("seal xchacha20-poly1305", 32),
    index: derive("index", 32),
    session: derive("session", 32),
  };
}

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

/** The prefix of values that the current key seals. */
export function sealPrefix(): Buffer {
  return Buffer.concat([Buffer.of(VERSION), currentKey().id]);
}

/** Whether the key of this id sealed the value. */
export function isSealedUnder(sealed: Buffer, keyId: Buffer): boolean {
  return sealed[0] === VERSION && sealed.length > NONCE && sealed.compare(keyId, 0, keyId.length, 1, NONCE) === 0;
}
