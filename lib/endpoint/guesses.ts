import { isKnownApiToken } from "@/lib/auth/api-token-caller";
import { countedAddress } from "@/lib/auth/client-address";
import { isKnownSession } from "@/lib/auth/known-sessions";
import type { Answer, Call } from "@/lib/endpoint/call";
import { apiTokenIn } from "@/lib/endpoint/credential";
import { checkLimit, countUse, isInForce } from "@/lib/limits/limits";

/**
 * Refuses requests from an address that has sent too many bad credentials, except with a credential that was valid when
 * last seen by this process.
 * @throws {AppError} `rate_limited`
 */
export function refuseGuesses(call: Call) {
  if (!isInForce("refusals") || !call.path.startsWith("/api/") || isKnown(call)) return;
  checkLimit("refusals", countedAddress(call));
}

/** Counts a response to a bad credential against its address. */
export function countGuess(call: Call, { status, isBadCredential }: Answer) {
  if (status === 401 || isBadCredential) countUse("refusals", countedAddress(call));
}

function isKnown({ headers: { authorization, cookie } }: Call): boolean {
  if (authorization === undefined) return cookie !== undefined && isKnownSession(cookie);
  return isKnownApiToken(apiTokenIn(authorization) ?? "");
}
