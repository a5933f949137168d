import { AppError, notFound, unavailable } from "@/lib/errors";
import { readBody } from "@/lib/http/next";
import { handler } from "@/lib/http/route";
import { auth } from "@/lib/members/auth";
import { oidcAuth } from "@/lib/members/oidc";
import { findSession } from "@/lib/members/session";

/** Of better-auth's many routes those that are meant to be used here. */
const OWN = new Set(
  [
    ...["sign-in/email", "sign-out", "change-password"],
    ...["enable", "disable", "verify-totp", "verify-backup-code", "generate-backup-codes"].map(
      (path) => `two-factor/${path}`,
    ),
  ].map((path) => `/api/auth/${path}`),
);
const SINGLE_SIGN_ON = new Set(["/api/auth/sign-in/social", "/api/auth/callback/oidc"]);

/**
 * Hands a request to better-auth: sign-in, second factor, sign-out, the own password.
 * It would read a body of any size, so the body is taken in here, within the limit of every other route.
 */
export async function signIn(request: Request): Promise<Response> {
  const { url, method, headers } = request;
  try {
    const path = new URL(url).pathname;
    const auth = await authFor(path);
    const body = await readBody(request);
    const response = await auth.handler(new Request(url, { method, headers, body: body.length > 0 ? body : null }));
    if (response.status === 429) throw rateLimited(response.headers.get("x-retry-after") ?? "60");
    if (await wasFailed(response, { path, cookie: headers.get("cookie") })) throw unavailable(await response.text());
    response.headers.set("Cache-Control", "no-store");
    response.headers.set("X-Content-Type-Options", "nosniff");
    return response;
  } catch (error) {
    return handler(() => Promise.reject(error))(request);
  }
}

/** Whether the database failed it, which it keeps to itself: a session that it could not read is none to it, nor one that it could not end. */
async function wasFailed(
  response: Response,
  { path, cookie }: { path: string; cookie: string | null },
): Promise<boolean> {
  if (response.status === 500) return true;
  if (cookie === null) return false;
  const isRefused = response.status === 401 && (await response.clone().json()).code === "UNAUTHORIZED";
  const isOut = response.ok && path === "/api/auth/sign-out";
  return (isRefused || isOut) && (await findSession(cookie)) !== null;
}

function rateLimited(seconds: string): AppError {
  return new AppError("rate_limited", `Too many attempts. Wait ${seconds} seconds, then try again.`, {
    headers: { "Retry-After": seconds },
  });
}

async function authFor(path: string): Promise<ReturnType<typeof auth>> {
  if (OWN.has(path)) return auth();
  if (SINGLE_SIGN_ON.has(path)) return oidcAuth();
  throw notFound();
}
