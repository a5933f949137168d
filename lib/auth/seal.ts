import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { currentKey, type Key, usableKeys } from "@/lib/crypto/keyring";

/** The keys that better-auth signs and seals with, the current one first: it notes the version beside what it seals. */
export function authSecrets(): { version: number; value: string }[] {
  return usableKeys()
    .reverse()
    .map((key) => ({ version: versionOf(key), value: key.session.toString("base64url") }));
}

/** Whether better-auth sealed this under the current key. */
export function isSealedNow(sealed: string): boolean {
  return sealed.startsWith(`$ba$${versionOf(currentKey())}$`);
}

/**
 * Seals under the current key what better-auth sealed under any of them.
 * @throws when it was sealed under a key that is not configured, or is damaged
 */
export async function sealAnew(sealed: string): Promise<string> {
  const keys = new Map(authSecrets().map(({ version, value }) => [version, value]));
  const key = { keys, currentVersion: versionOf(currentKey()) };
  return symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: sealed }) });
}

function versionOf({ id }: Key): number {
  return id.readUInt32BE();
}
