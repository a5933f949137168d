import { isKnownApiToken } from "@/lib/api-tokens/caller";
import type { Answer, Call } from "@/lib/http/call";
import { countedAddress } from "@/lib/http/client-address";
import { apiTokenIn } from "@/lib/http/credential";
import { handler, type Route } from "@/lib/http/route";
import type { Routes } from "@/lib/http/routes";
import { checkLimit, countUse, isInForce } from "@/lib/limits";
import { isKnownSession } from "@/lib/members/known-sessions";

/**
 * Refuses requests from an address that has sent too many bad credentials, but for those with a credential that was good when it
 * was last seen here.
 * @throws {AppError} `rate_limited`
 */
export function refuseGuesses(call: Call) {
  if (!isInForce("refusals") || !call.path.startsWith("/api/") || isKnown(call)) return;
  checkLimit("refusals", countedAddress(call));
}

/** Counts an answer to a bad credential against the address it came from. */
export function countGuess(call: Call, { status, isBadCredential }: Answer) {
  if (status === 401 || isBadCredential) countUse("refusals", countedAddress(call));
}

/** Asks these routes for a page: bad credentials count there as they do where the route itself is called. */
export function askingOf(routes: Routes) {
  const guarded = (get: Route) =>
    handler(async (call) => {
      refuseGuesses(call);
      const answer = await get(call);
      countGuess(call, answer);
      return answer;
    });
  return async (call: Call): Promise<Answer | undefined> => {
    const get = routes.named(call.path)?.GET;
    return get && guarded(get)(call);
  };
}

function isKnown({ headers: { authorization, cookie } }: Call): boolean {
  if (authorization === undefined) return cookie !== undefined && isKnownSession(cookie);
  return isKnownApiToken(apiTokenIn(authorization) ?? "");
}
