import { createHash } from "node:crypto";
import { anyJson } from "@/lib/json/any-json";

/** Bytes of the checksum that begins a cursor. */
const CHECKED = 6;

/** Encodes a place in a list as an opaque cursor: a checksum for this scope, and the place as JSON. */
export function writeCursor(scope: string, place: unknown): string {
  const json = Buffer.from(JSON.stringify(place));
  return Buffer.concat([checksum(scope, json), json]).toString("base64url");
}

/** The place of a cursor, still to be validated; undefined when it was cut, altered, or made for another scope. */
export function openCursor(scope: string, cursor: string): unknown {
  const bytes = Buffer.from(cursor, "base64url");
  const json = bytes.subarray(CHECKED);
  if (bytes.toString("base64url") !== cursor || !bytes.subarray(0, CHECKED).equals(checksum(scope, json)))
    return undefined;
  return anyJson(json.toString());
}

/** It finds accidents: a forged cursor leads to another place of the same list, no further. */
function checksum(scope: string, json: Buffer): Buffer {
  return createHash("sha256").update(`${scope} `).update(json).digest().subarray(0, CHECKED);
}
