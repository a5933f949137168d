import type { IncomingHttpHeaders } from "node:http";
import { authenticateProgram, isKnownApiToken, recallProgram } from "@/lib/auth/api-token-caller";
import type { Identified } from "@/lib/auth/caller";
import { countedAddress } from "@/lib/auth/client-address";
import { isKnownSession } from "@/lib/auth/known-sessions";
import { asApiCaller, authenticateMember } from "@/lib/auth/member-caller";
import { env, isLoopback } from "@/lib/config/env";
import type { Answer, Call } from "@/lib/endpoint/call";
import { AppError, unauthorized } from "@/lib/errors";
import { limitOf } from "@/lib/limits/limits";
import { findGroup, type GroupKey } from "@/lib/store/group-row";

/** `Token` in any case, spaces, and a token of visible ASCII: two headers, joined with ", ", do not match. */
const CREDENTIAL = /^token +([\x21-\x7e]{1,255})$/i;

/** The credential of a request: an API token, or a browser's session and environment. */
type Credential = { token: string } | { cookie: string; environment: string };

/**
 * The credential of a request. A cookie counts only together with X-Environment, which no link, image or form can send.
 * @throws {AppError} `unauthorized` unless there is exactly one
 */
export function readCredential({ headers }: Call): Credential {
  const { authorization, cookie, "x-environment": environment } = headers;
  if (authorization === undefined && cookie && typeof environment === "string") return { cookie, environment };
  const token = apiTokenIn(authorization ?? "");
  if (!token) throw unauthorized();
  return { token };
}

/** The API token in an Authorization header, if there is exactly one. */
function apiTokenIn(authorization: string): string | undefined {
  return CREDENTIAL.exec(authorization)?.[1];
}

/**
 * Identifies the caller, and finds the first of these groups that exists; for an API token in one look-up.
 * @throws {AppError} `unauthorized`, or `forbidden` for a cross-site request
 */
export async function identify(call: Call, credential: Credential, groups: GroupKey[]): Promise<Identified> {
  const identified =
    "token" in credential
      ? await authenticateProgram(credential.token, groups, call)
      : await identifyMember(credential, groups, call);
  refuseCrossSite(call);
  return identified;
}

/**
 * As {@link identify} without a group, but does not look up a known API token (`mayRecall` of an endpoint).
 */
export async function recall(call: Call, credential: Credential): Promise<Identified> {
  const caller = "token" in credential ? recallProgram(credential.token, call) : undefined;
  if (!caller) return identify(call, credential, []);
  refuseCrossSite(call);
  return { caller, group: undefined };
}

/**
 * Identifies the caller again after a while: an API token or a session may have ended, or a token's networks changed.
 * @throws {AppError} as {@link identify}
 */
export async function readmit(call: Call) {
  await identify(call, readCredential(call), []);
}

async function identifyMember(
  { cookie, environment: slug }: { cookie: string; environment: string },
  groups: GroupKey[],
  { requestId }: Call,
): Promise<Identified> {
  const member = await authenticateMember({ cookie, slug, requestId });
  if (!member) throw unauthorized();
  const caller = asApiCaller(member);
  for (const key of groups) {
    const group = await findGroup(caller.environment.id, key);
    if (group) return { caller, group };
  }
  return { caller, group: undefined };
}

/**
 * Refuses a cross-site request of a browser.
 * @throws {AppError} `forbidden`
 */
export function refuseCrossSite({ headers }: Call) {
  if (!isCrossSite(headers)) return;
  throw new AppError("forbidden", "Cross-site and speculative browser requests are refused. Call from your server.");
}

/** Uses Fetch metadata if the browser sends it, else Origin (W3C Fetch Metadata; OWASP CSRF prevention). */
function isCrossSite(headers: IncomingHttpHeaders): boolean {
  if (headers["sec-purpose"] !== undefined || headers.purpose === "prefetch") return true;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, host } = headers;
  return origin !== undefined && origin !== env().PUBLIC_URL && origin.replace(/^https?:\/\//, "") !== host;
}

/**
 * The dashboard's URL, for links to it. Without PUBLIC_URL it comes from the request, which is trusted only on this
 * machine: elsewhere, a forged Host would decide where a link leads.
 * @throws {AppError} `conflict`
 */
export function originOf({ headers: { origin, host } }: Call): string {
  const { PUBLIC_URL, HOST } = env();
  if (PUBLIC_URL) return PUBLIC_URL;
  const said = [`http://${host}`, ...(origin?.startsWith("http") ? [origin] : [])];
  const places = said.map((url) => (URL.canParse(url) ? new URL(url).hostname : ""));
  if ([HOST, ...places].every(isLoopback)) return said.at(-1) ?? "";
  throw new AppError(
    "conflict",
    "PUBLIC_URL is not set, so no link was created. Set it to the URL where people open the service, and restart.",
  );
}

/**
 * Refuses requests from an address that has sent too many bad credentials, except with a credential that was valid when
 * last seen by this process.
 * @throws {AppError} `rate_limited`
 */
export function refuseGuesses(call: Call) {
  const limit = limitOf("refusals");
  if (!limit?.isInForce() || !call.path.startsWith("/api/") || isKnown(call)) return;
  limit.check(countedAddress(call));
}

/** Counts a response to a bad credential against its address. */
export function countGuess(call: Call, { status, isBadCredential }: Answer) {
  if (status === 401 || isBadCredential) limitOf("refusals")?.count(countedAddress(call));
}

function isKnown({ headers: { authorization, cookie } }: Call): boolean {
  if (authorization === undefined) return cookie !== undefined && isKnownSession(cookie);
  return isKnownApiToken(apiTokenIn(authorization) ?? "");
}
