import { SECRET_PREFIXES } from "@/lib/crypto/random-token";

/** How often to decode a path at most: proxies and clients encode once or twice. */
const MAX_DECODED = 5;
const MAX_SHOWN = 200;
const ENCODED = /%[0-9a-f]{2}/i;
const EACH_ENCODED = /%[0-9a-f]{2}/gi;
const ENCODED_REST = /%[0-9a-f]{2}.*/is;
/** Includes the characters of base64. */
const PREFIXED = new RegExp(`(${SECRET_PREFIXES.join("|")})[\\w+/=]+`, "gi");
/**
 * Matches a signed token, such as a viewer token. Its two dots are counted afterwards, as a pattern with them would be
 * slow to fail.
 */
const LIKE_JWT = /eyJ[\w.-]*/g;
const DOTS = /\..*\./;
/** As long as a token's random part, in its alphabet. */
const RANDOM = /[0-9A-Za-z]{43,}/g;

/** A path for the log, without any token in it, however encoded. */
export function maskPath(path: string): string {
  // Too short to contain a usable token, as most are.
  if (path.length < 24) return path;
  let plain = path;
  for (let times = 0; times < MAX_DECODED && ENCODED.test(plain); times++) {
    plain = plain.replace(EACH_ENCODED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  }
  // Encoded more often than happens by accident.
  const masked = maskTokens(plain.replace(ENCODED_REST, "…"));
  return (masked === plain ? path : masked).slice(0, MAX_SHOWN);
}

/** A text without tokens. */
export function maskTokens(text: string): string {
  return text
    .replace(LIKE_JWT, (like) => (DOTS.test(like) ? "eyJ…" : like))
    .replace(PREFIXED, "$1…")
    .replace(RANDOM, "…");
}
