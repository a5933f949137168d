import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** The prefixes of our secrets. The log masks what follows them. */
export const SECRET_PREFIXES = ["ugt_", "ugl_", "uga_live_", "uga_test_", "whsec_"] as const;
export type SecretPrefix = (typeof SECRET_PREFIXES)[number];

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * A new secret: the prefix, 43 base62 characters (256 random bits) and the CRC-32 of both in 6, for secret scanners.
 */
export function randomToken(prefix: SecretPrefix): string {
  return withChecksum(prefix + Array.from({ length: 43 }, () => BASE62[randomInt(62)]).join(""));
}

/** The first secret in a text with this prefix and a correct checksum. */
export function findRandomToken(text: string, prefix: string): string | undefined {
  const candidates = text.match(new RegExp(`${prefix}[0-9A-Za-z]{49}`, "g")) ?? [];
  return candidates.find((candidate) => candidate === withChecksum(candidate.slice(0, -6)));
}

function withChecksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let place = 0; place < 6; place++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return text + digits;
}
