import { queryOptions } from "@tanstack/react-query";
import { ApiError, callApi } from "@/lib/browser/api-client";
import type {
  FoundAccount,
  Invitation,
  Invite,
  Link,
  LinkAcceptance,
  MadeByMember,
  MemberChange,
  MemberRemoval,
  MemberSummary,
  SessionAnswer,
  SignInOptions,
} from "@/lib/members/schema";

/** The signed-in member, and the environments. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => callApi<SessionAnswer>("/api/admin/session", { signal }),
  staleTime: 60_000,
  // Another member may have signed in in another tab.
  refetchOnWindowFocus: "always",
});

/** Like {@link sessionQuery}, for a public page: null when signed out. */
export const signedInQuery = queryOptions({
  queryKey: [...sessionQuery.queryKey, "if any"],
  queryFn: ({ signal }) => signedIn(signal),
});

/** The signed-in member and the environments; null when signed out. */
export async function signedIn(signal?: AbortSignal): Promise<SessionAnswer | null> {
  try {
    const options = { isForNobody: true, signal };
    return await callApi<SessionAnswer>("/api/admin/session", options);
  } catch (error) {
    if (error instanceof ApiError && error.code === "unauthorized") return null;
    throw error;
  }
}

/** Ends this session. */
export function signOut(): Promise<unknown> {
  return callApi("/api/auth/sign-out", { method: "POST", body: {} });
}

/** The available ways to sign in. */
export const signInOptionsQuery = queryOptions({
  queryKey: ["sign-in-options"],
  queryFn: ({ signal }) => callApi<SignInOptions>("/api/sign-in-options", { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Signs in by password; a second factor may follow. */
export async function askToSignIn(credentials: {
  email: string;
  password: string;
}): Promise<"signed in" | "second factor"> {
  const path = "/api/auth/sign-in/email";
  const answer = await callApi<{ twoFactorRedirect?: boolean }>(path, { method: "POST", body: credentials });
  return answer.twoFactorRedirect ? "second factor" : "signed in";
}

/** Verifies the second factor: an authenticator's code, or a backup code. */
export function verifySecondFactor(kind: "totp" | "backup-code", code: string): Promise<unknown> {
  return callApi(`/api/auth/two-factor/verify-${kind}`, { method: "POST", body: { code } });
}

/** Starts single sign-on; returns the URL to continue at. */
export async function signInWithOidc(callbackURL: string): Promise<string> {
  const errorCallbackURL = `/sign-in?${new URLSearchParams({ next: callbackURL })}`;
  const body = { provider: "oidc", callbackURL, errorCallbackURL };
  const { url } = await callApi<{ url: string }>("/api/auth/sign-in/social", { method: "POST", body });
  return url;
}

/** The purpose of a one-time link. */
export const linkQuery = (token: string, id: string) =>
  queryOptions({
    // The cache must not contain the token, so the id of its page identifies it.
    queryKey: ["link", id],
    queryFn: async ({ signal }) => {
      const path = "/api/links/look-up";
      const options = { method: "POST", body: { token }, signal, isRepeatable: true } as const;
      return (await callApi<{ link: Link }>(path, options)).link;
    },
    staleTime: Number.POSITIVE_INFINITY,
    // The link may have been used by then.
    refetchOnReconnect: false,
    gcTime: 0,
  });

/** Uses a one-time link; returns the email address to sign in with. */
export async function askToAcceptLink(acceptance: LinkAcceptance): Promise<string> {
  return (await callApi<{ email: string }>("/api/links/accept", { method: "POST", body: acceptance })).email;
}

/** Root query key of the members; every change invalidates it. */
export const membersKey = ["members"];

/** All members, and open invitations. */
export const membersQuery = queryOptions({
  queryKey: membersKey,
  queryFn: ({ signal }) => callApi<{ members: MemberSummary[]; invites: Invite[] }>("/api/admin/members", { signal }),
});

/** Invites a member; returns the one-time link, which is shown only once. */
export async function inviteMember(body: Invitation): Promise<string> {
  return (await callApi<{ link: string }>("/api/admin/members/invites", { method: "POST", body })).link;
}

/** Withdraws an invitation. */
export function askToWithdrawInvite(id: number): Promise<unknown> {
  return callApi(`/api/admin/members/invites/${id}`, { method: "DELETE" });
}

/** Changes a member's role, or disables or enables a member. */
export function askToChangeMember(id: string, body: MemberChange): Promise<unknown> {
  return callApi(pathOf(id), { method: "PATCH", body });
}

/** Removes a member permanently, and ends the given tokens and webhooks that they made. */
export function askToRemoveMember(id: string, ended: Omit<MemberRemoval, "id">): Promise<unknown> {
  return callApi(pathOf(id), { method: "DELETE", body: ended });
}

/** A member's API tokens, webhooks and links that still work. */
export const madeQuery = (id: string) =>
  queryOptions({
    queryKey: [...membersKey, id, "made"],
    queryFn: ({ signal }) => callApi<MadeByMember>(`${pathOf(id)}/made`, { signal }),
    // Read again for each dialog: an earlier answer may be outdated.
    gcTime: 0,
  });

/** Finds the account at the provider to which a code belongs. */
export async function askToLookUpAccount(id: string, code: string): Promise<FoundAccount> {
  const options = { method: "POST", body: { code }, isRepeatable: true } as const;
  return (await callApi<{ account: FoundAccount }>(`${pathOf(id)}/accounts/look-up`, options)).account;
}

/** Links the account at the provider to which a code belongs. */
export function askToLinkAccount(id: string, code: string): Promise<unknown> {
  return callApi(`${pathOf(id)}/accounts`, { method: "POST", body: { code } });
}

/** Unlinks a provider's account from a member. */
export function askToUnlinkAccount(id: string, accountId: string): Promise<unknown> {
  return callApi(`${pathOf(id)}/accounts/${encodeURIComponent(accountId)}`, { method: "DELETE" });
}

/** Makes a one-time link for a member's new password. */
export async function askToMakeResetLink(id: string): Promise<string> {
  return (await callApi<{ link: string }>(`${pathOf(id)}/reset-password`, { method: "POST", body: {} })).link;
}

function pathOf(id: string): string {
  return `/api/admin/members/${encodeURIComponent(id)}`;
}
