import { auth } from "@/lib/auth/auth";
import { CLIENT_ADDRESS, networkOf } from "@/lib/auth/client-address";
import { oidcAuth } from "@/lib/auth/oidc";
import { tooManyAttempts, withPermit } from "@/lib/auth/password-queue";
import { endOldSessions, findSession } from "@/lib/auth/session";
import { trackingSignIn } from "@/lib/auth/sign-in-attempt";
import { env } from "@/lib/config/env";
import { anyone } from "@/lib/endpoint/access";
import type { Answer, Call } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { AppError, notFound, unavailable } from "@/lib/errors";

/** The better-auth routes in use. */
const OWN = new Set(
  [
    "sign-in/email",
    "sign-out",
    "change-password",
    ...["enable", "disable", "verify-totp", "verify-backup-code", "generate-backup-codes"].map(
      (path) => `two-factor/${path}`,
    ),
  ].map((path) => `/api/auth/${path}`),
);
const SINGLE_SIGN_ON = new Set(["/api/auth/sign-in/social", "/api/auth/callback/oidc"]);

/** Routes that take a password or a code. */
const QUEUED = /^\/api\/auth\/(?:sign-in\/email|change-password|two-factor\/.+)$/;

/** better-auth looks up what strangers send, such as an address or a state, and PostgreSQL refuses NUL in text. */
const NUL_IN_FORM = /%00|\0/;
const NUL_IN_JSON = /(?<!\\)(?:\\\\)*\\u0000/;

/** The lifetime in a session's cookie; 0 in one that ends the session. */
const SESSION_LIFE = /(\.session_token=.*; Max-Age=)[1-9]\d*/;

/** The origin of its requests. Without PUBLIC_URL better-auth trusts it; no browser comes from there. */
const NOWHERE = "http://service.invalid";

/**
 * Passes a request to better-auth: sign-in, second factor, sign-out, own password.
 * The body is read here, within every route's limit, because better-auth would read any size.
 */
export const betterAuthEndpoint = endpoint({
  access: anyone,
  hasDeadline: false,
  hasHead: false,
  async handle({ call }) {
    const request = await requestOf(call);
    const auth = await authFor(call.path);
    const handle = async () => {
      if (call.headers.cookie !== undefined) await endOldSessions();
      return trackingSignIn(() => auth.handler(request));
    };
    const response = await (QUEUED.test(call.path) ? withPermit(networkOf(call.address()), handle) : handle());
    if (response.status === 429) throw tooManyAttempts(Number(response.headers.get("x-retry-after") ?? 60));
    if (await wasFailed(response, call)) throw unavailable(await response.text());
    return answerOf(response);
  },
});

async function requestOf({ requestId, method, path, query, headers: sent, address, readBody }: Call): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(sent)) if (typeof value === "string") headers.set(name, value);
  headers.set(CLIENT_ADDRESS, address());
  // Its hooks write it to the history.
  headers.set("x-request-id", requestId);
  const url = `${NOWHERE}${path}${query === undefined ? "" : `?${query}`}`;
  const body = new Uint8Array(await readBody());
  const inBody = sent["content-type"]?.includes("json") ? NUL_IN_JSON : NUL_IN_FORM;
  if (NUL_IN_FORM.test(query ?? "") || inBody.test(Buffer.from(body).toString("latin1"))) {
    throw new AppError("bad_request", "The request must not contain NUL.");
  }
  return new Request(url, { method, headers, body: method === "GET" || body.length === 0 ? null : body });
}

async function answerOf(response: Response): Promise<Answer> {
  const { "content-type": type, location } = Object.fromEntries(response.headers);
  const headers = {
    ...(type && { "Content-Type": type }),
    // The raw header may contain characters that are invalid in a header.
    ...(location && { Location: location.replace(/[^\x21-\x7e]/g, encodeURIComponent) }),
    "Set-Cookie": response.headers.getSetCookie().map(keptForWholeSession),
  };
  const body = await response.text();
  return { status: response.status, headers, body, isBadCredential: body.includes('"INVALID_PASSWORD"') };
}

/**
 * better-auth gives a session's cookie the days that a session may be unused, and renews it in answers of its own,
 * which a browser never gets: calls look sessions up. The browser keeps the cookie, and the database ends the session.
 */
function keptForWholeSession(cookie: string): string {
  return cookie.replace(SESSION_LIFE, `$1${env().SESSION_MAX_DAYS * 86_400}`);
}

/**
 * Whether the database failed, which better-auth hides: an unreadable session counts as none, as does one it could not
 * end.
 */
async function wasFailed(response: Response, { path, headers: { cookie } }: Call): Promise<boolean> {
  if (response.status === 500) return true;
  if (cookie === undefined) return false;
  const isRefused = response.status === 401 && (await response.clone().json()).code === "UNAUTHORIZED";
  const isOut = response.ok && path === "/api/auth/sign-out";
  return (isRefused || isOut) && (await findSession(cookie)) !== null;
}

async function authFor(path: string): Promise<ReturnType<typeof auth>> {
  if (OWN.has(path)) return auth();
  if (SINGLE_SIGN_ON.has(path)) return oidcAuth();
  throw notFound();
}
