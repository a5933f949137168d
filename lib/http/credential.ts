import type { IncomingHttpHeaders } from "node:http";
import { authenticate, type Caller, unauthorized } from "@/lib/api-tokens/caller";
import type { GroupKey, GroupRow } from "@/lib/db/statements";
import { AppError } from "@/lib/errors";
import { tokenIndexes } from "@/lib/groups/token";
import type { Call } from "@/lib/http/call";

/** `Token` in any case, spaces, and a token of visible ASCII: two headers, joined with ", ", do not fit. */
const CREDENTIAL = /^token +([\x21-\x7e]{1,255})$/i;

/**
 * The API token a request carries.
 * @throws {AppError} `unauthorized` when there is none, or not exactly one
 */
export function readCredential({ headers }: Call): string {
  const token = CREDENTIAL.exec(headers.authorization ?? "")?.[1];
  if (!token) throw unauthorized();
  return token;
}

/**
 * Finds out who asks, and finds the group the body names, by its id or by its token, in the same look-up.
 * @throws {AppError} `unauthorized`, or `forbidden` for a request that another site made a browser send
 */
export async function identify(
  { headers, requestId }: Call,
  token: string,
  body: unknown,
): Promise<{ caller: Caller; group: GroupRow | undefined }> {
  const identified = await authenticate(token, groupKeys(body), requestId);
  if (isCrossSite(headers)) {
    throw new AppError("forbidden", "A browser sent this from another site or ahead of time: call from your server.");
  }
  return identified;
}

function groupKeys(body: unknown): GroupKey[] {
  if (typeof body !== "object" || body === null) return [];
  if ("user_group_id" in body) return [{ providedId: String(body.user_group_id) }];
  if ("current_token" in body) {
    return tokenIndexes(String(body.current_token)).map((tokenIndex) => ({ tokenIndex }));
  }
  return [];
}

/** Fetch metadata where the browser sends it, else the Origin (W3C Fetch Metadata; OWASP CSRF prevention). */
function isCrossSite(headers: IncomingHttpHeaders): boolean {
  if (headers["sec-purpose"] !== undefined || headers.purpose === "prefetch") return true;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, host } = headers;
  return origin !== undefined && origin.replace(/^https?:\/\//, "") !== host;
}
