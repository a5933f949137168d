import { queryOptions } from "@tanstack/react-query";
import { ApiError, callApi } from "@/lib/browser/api-client";
import type {
  Account,
  Invitation,
  Invite,
  Link,
  LinkAcceptance,
  MadeByMember,
  MemberChange,
  MemberSummary,
  SessionAnswer,
  SignInOptions,
} from "@/lib/members/schema";

/** Who is signed in, and the environments there are. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => callApi<SessionAnswer>("/api/admin/session", { signal }),
  staleTime: 60_000,
});

/** As {@link sessionQuery}, for a page that is open to everyone: null where nobody is signed in. */
export const signedInQuery = queryOptions({
  queryKey: [...sessionQuery.queryKey, "if any"],
  queryFn: ({ signal }) => signedIn(signal),
});

/**
 * Who is signed in, and the environments; null for nobody.
 * @throws {ApiError}
 */
export async function signedIn(signal?: AbortSignal): Promise<SessionAnswer | null> {
  try {
    const options = { isForNobody: true, ...(signal && { signal }) };
    return await callApi<SessionAnswer>("/api/admin/session", options);
  } catch (error) {
    if (error instanceof ApiError && error.code === "unauthorized") return null;
    throw error;
  }
}

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
export async function askToSignIn(credentials: {
  email: string;
  password: string;
}): Promise<"signed in" | "second factor"> {
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
  const body = { provider: "oidc", callbackURL, errorCallbackURL: "/sign-in" };
  const { url } = await callApi<{ url: string }>("/api/auth/sign-in/social", { method: "POST", body });
  return url;
}

/** What the token of a one-time link is for. */
export const linkQuery = (token: string, number: number) =>
  queryOptions({
    // A number stands for the token in the cache, which must not hold it.
    queryKey: ["link", number],
    queryFn: async ({ signal }) => {
      const path = "/api/links/look-up";
      const options = { method: "POST", body: { token }, signal, isRepeatable: true } as const;
      return (await callApi<{ link: Link }>(path, options)).link;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // It has done its work by then, perhaps.
    refetchOnReconnect: false,
    gcTime: 0,
  });

/**
 * Does what a one-time link is for; gives the address to sign in with then.
 * @throws {ApiError}
 */
export async function askToAcceptLink(acceptance: LinkAcceptance): Promise<string> {
  return (await callApi<{ email: string }>("/api/links/accept", { method: "POST", body: acceptance })).email;
}

/** Everything of the members; invalidated as a whole by every change. */
export const membersKey = ["members"];

/** Everybody who may sign in, and who is invited. */
export const membersQuery = queryOptions({
  queryKey: membersKey,
  queryFn: ({ signal }) => callApi<{ members: MemberSummary[]; invites: Invite[] }>("/api/admin/members", { signal }),
});

/**
 * Invites somebody: gives the one-time link, which cannot be had again.
 * @throws {ApiError}
 */
export async function inviteMember(body: Invitation): Promise<string> {
  return (await callApi<{ link: string }>("/api/admin/members/invites", { method: "POST", body })).link;
}

/**
 * Takes an invitation back.
 * @throws {ApiError}
 */
export function askToWithdrawInvite(id: number): Promise<unknown> {
  return callApi(`/api/admin/members/invites/${id}`, { method: "DELETE" });
}

/**
 * Changes a member's role, disables or enables a member.
 * @throws {ApiError}
 */
export function askToChangeMember(id: string, body: MemberChange): Promise<unknown> {
  return callApi(pathOf(id), { method: "PATCH", body });
}

/**
 * Removes a member for good, and revokes these API tokens of theirs.
 * @throws {ApiError}
 */
export function askToRemoveMember(id: string, revokeApiTokens: number[]): Promise<unknown> {
  return callApi(pathOf(id), { method: "DELETE", body: { revokeApiTokens } });
}

/** What a member made that still works. */
export const madeQuery = (id: string) =>
  queryOptions({
    queryKey: [...membersKey, id, "made"],
    queryFn: ({ signal }) => callApi<MadeByMember>(`${pathOf(id)}/made`, { signal }),
    // Decided upon now: what was read for an earlier dialog may have changed.
    gcTime: 0,
  });

/**
 * Unlinks an account at the provider from a member.
 * @throws {ApiError}
 */
export function askToUnlinkAccount(id: string, accountId: string): Promise<unknown> {
  return callApi(`${pathOf(id)}/accounts/${encodeURIComponent(accountId)}`, { method: "DELETE" });
}

/**
 * Makes a one-time link by which a member chooses a new password.
 * @throws {ApiError}
 */
export async function askToMakeResetLink(id: string): Promise<string> {
  return (await callApi<{ link: string }>(`${pathOf(id)}/reset-password`, { method: "POST", body: {} })).link;
}

function pathOf(id: string): string {
  return `/api/admin/members/${encodeURIComponent(id)}`;
}

/** The account of the member who is signed in, with the sessions. */
export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: async ({ signal }) => (await callApi<{ account: Account }>("/api/admin/account", { signal })).account,
});

/**
 * Renames the member who is signed in.
 * @throws {ApiError}
 */
export function renameAccount(name: string): Promise<unknown> {
  return callApi("/api/admin/account", { method: "PATCH", body: { name } });
}

/**
 * Ends one of the member's own sessions.
 * @throws {ApiError}
 */
export function askToEndSession(id: string): Promise<unknown> {
  return callApi(`/api/admin/account/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/**
 * Ends all of the member's sessions, or all but this one.
 * @throws {ApiError}
 */
export function askToSignOutEverywhere(body: { others: boolean }): Promise<unknown> {
  return callApi("/api/admin/account/sign-out-everywhere", { method: "POST", body });
}

/**
 * Changes the member's own password.
 * @throws {ApiError}
 */
export function changePassword(body: { currentPassword: string; newPassword: string }): Promise<unknown> {
  return callApi("/api/auth/change-password", { method: "POST", body });
}

/**
 * Begins to turn the second factor on: it is on once a code of it was verified.
 * @throws {ApiError}
 */
export function beginTwoFactor(body: { password: string }): Promise<{ totpURI: string; backupCodes: string[] }> {
  return callApi("/api/auth/two-factor/enable", { method: "POST", body });
}

/**
 * Makes new backup codes; those before them stop working.
 * @throws {ApiError}
 */
export async function makeBackupCodes(body: { password: string; code?: string }): Promise<string[]> {
  const path = "/api/auth/two-factor/generate-backup-codes";
  return (await callApi<{ backupCodes: string[] }>(path, { method: "POST", body })).backupCodes;
}

/**
 * Turns the second factor off.
 * @throws {ApiError}
 */
export function disableTwoFactor(body: { password: string; code?: string }): Promise<unknown> {
  return callApi("/api/auth/two-factor/disable", { method: "POST", body });
}
