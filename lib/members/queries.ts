import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/api-client";
import type { SessionAnswer, SignInOptions } from "@/lib/members/schema";

/** Who is signed in, and the environments there are. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => callApi<SessionAnswer>("/api/admin/session", { signal }),
  staleTime: 60_000,
});

/**
 * Ends this session.
 * @throws {ApiError}
 */
export function signOut(): Promise<unknown> {
  return callApi("/api/auth/sign-out", { method: "POST", body: {} });
}

/** How one can sign in here. */
export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in-options"],
  queryFn: ({ signal }) => callApi<SignInOptions>("/api/sign-in-options", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Signs in by password; a second factor may be asked for then.
 * @throws {ApiError}
 */
export async function signIn(credentials: { email: string; password: string }): Promise<"signed in" | "second factor"> {
  const path = "/api/auth/sign-in/email";
  const answer = await callApi<{ twoFactorRedirect?: boolean }>(path, { method: "POST", body: credentials });
  return answer.twoFactorRedirect ? "second factor" : "signed in";
}

/**
 * Gives the second factor: the code of an authenticator, or one of the backup codes.
 * @throws {ApiError}
 */
export function verifySecondFactor(kind: "totp" | "backup-code", code: string): Promise<unknown> {
  return callApi(`/api/auth/two-factor/verify-${kind}`, { method: "POST", body: { code } });
}

/**
 * Begins signing in at the company's provider: the address to go on at.
 * @throws {ApiError}
 */
export async function signInWithOidc(callbackURL: string): Promise<string> {
  const body = { providerId: "oidc", callbackURL, errorCallbackURL: "/sign-in" };
  const { url } = await callApi<{ url: string }>("/api/auth/sign-in/oauth2", { method: "POST", body });
  return url;
}
