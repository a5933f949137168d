import type { IncomingHttpHeaders } from "node:http";
import { authenticateProgram } from "@/lib/auth/api-token-caller";
import type { Caller } from "@/lib/auth/caller";
import { asApiCaller, authenticateMember } from "@/lib/auth/member-caller";
import { env } from "@/lib/config/env";
import type { Call } from "@/lib/endpoint/call";
import { AppError, unauthorized } from "@/lib/errors";
import { findGroup, type GroupKey, type GroupRow } from "@/lib/store/group-row";

/** `Token` in any case, spaces, and a token of visible ASCII: two headers, joined with ", ", do not fit. */
const CREDENTIAL = /^token +([\x21-\x7e]{1,255})$/i;

/** What a request shows of who sends it: an API token, or the session of a browser and the environment it is about. */
type Credential = { token: string } | { cookie: string; environment: string };

/**
 * The credential a request carries. A cookie counts only beside X-Environment, which no link, image or form can send.
 * @throws {AppError} `unauthorized` when there is none, or not exactly one
 */
export function readCredential({ headers }: Call): Credential {
  const { authorization, cookie, "x-environment": environment } = headers;
  if (authorization === undefined && cookie && typeof environment === "string") return { cookie, environment };
  const token = apiTokenIn(authorization ?? "");
  if (!token) throw unauthorized();
  return { token };
}

/** The API token in an Authorization header, if there is exactly one. */
export function apiTokenIn(authorization: string): string | undefined {
  return CREDENTIAL.exec(authorization)?.[1];
}

/**
 * Finds out who asks, and the first of these groups that exists; for an API token in one look-up.
 * @throws {AppError} `unauthorized`, or `forbidden` for a request that another site made a browser send
 */
export async function identify(call: Call, credential: Credential, groups: GroupKey[]): Promise<Identified> {
  const identified =
    "token" in credential
      ? await authenticateProgram(credential.token, groups, call)
      : await identifyMember(credential, groups, call);
  refuseCrossSite(call);
  return identified;
}

interface Identified {
  caller: Caller;
  group: GroupRow | undefined;
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
 * Refuses what another site made a browser send.
 * @throws {AppError} `forbidden`
 */
export function refuseCrossSite({ headers }: Call) {
  if (!isCrossSite(headers)) return;
  throw new AppError("forbidden", "A browser sent this from another site or ahead of time: call from your server.");
}

/** Fetch metadata where the browser sends it, else the Origin (W3C Fetch Metadata; OWASP CSRF prevention). */
function isCrossSite(headers: IncomingHttpHeaders): boolean {
  if (headers["sec-purpose"] !== undefined || headers.purpose === "prefetch") return true;
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, host } = headers;
  return origin !== undefined && origin !== env().PUBLIC_URL && origin.replace(/^https?:\/\//, "") !== host;
}

/**
 * The address of the dashboard, for links to it. Without PUBLIC_URL it is what the request says, which is believed on this
 * machine alone: elsewhere, anyone who chooses the Host would choose where a link leads.
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
    "PUBLIC_URL is not set, so no link was made. Set it to the address people open the service at, and restart.",
  );
}

function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}
