import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { currentKey, type Key, usableKeys } from "@/lib/crypto/keyring";

/** better-auth's keys, the current one first; it stores the version with each sealed value. */
export function authSecrets(): { version: number; value: string }[] {
  return usableKeys()
    .reverse()
    .map((key) => ({ version: versionOf(key), value: key.session.toString("base64url") }));
}

/** The prefix of values that better-auth seals under the current key. */
export function authPrefix(): string {
  return `$ba$${versionOf(currentKey())}$`;
}

/**
 * Reseals a value of better-auth's under the current key.
 * @throws when the value's key is not configured, or the value is damaged
 */
export async function sealAnew(sealed: string): Promise<string> {
  const keys = new Map(authSecrets().map(({ version, value }) => [version, value]));
  const key = { keys, currentVersion: versionOf(currentKey()) };
  return symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: sealed }) });
}

function versionOf({ id }: Key): number {
  return id.readUInt32BE();
}
