import { randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new secret: the prefix, 43 base62 characters (256 random bits) and the CRC-32 of both in 6, for secret scanners. */
export function randomToken(prefix: string): string {
  return withChecksum(prefix + base62(BigInt(`0x${randomBytes(32).toString("hex")}`), 43));
}

/** The first secret of this prefix in a text whose checksum is right. */
export function findRandomToken(text: string, prefix: string): string | undefined {
  const candidates = text.match(new RegExp(`${prefix}[0-9A-Za-z]{49}`, "g")) ?? [];
  return candidates.find((candidate) => candidate === withChecksum(candidate.slice(0, -6)));
}

function withChecksum(text: string): string {
  return text + base62(BigInt(crc32(text)), 6);
}

function base62(value: bigint, length: number): string {
  let rest = value;
  let text = "";
  for (let place = 0; place < length; place++) {
    text = BASE62[Number(rest % 62n)] + text;
    rest /= 62n;
  }
  return text;
}
