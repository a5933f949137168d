import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/browser/api-client";
import type { Account } from "@/lib/members/schema";

/** The signed-in member's account, with its sessions. */
export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: async ({ signal }) => (await callApi<{ account: Account }>("/api/admin/account", { signal })).account,
});

/** Renames the signed-in member. */
export function renameAccount(name: string): Promise<unknown> {
  return callApi("/api/admin/account", { method: "PATCH", body: { name } });
}

/** Ends one of the member's own sessions. */
export function askToEndSession(id: string): Promise<unknown> {
  return callApi(`/api/admin/account/sessions/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** Ends all of the member's sessions, or all others. */
export function askToSignOutEverywhere(body: { others: boolean }): Promise<unknown> {
  return callApi("/api/admin/account/sign-out-everywhere", { method: "POST", body });
}

/** Changes the member's own password. */
export function changePassword(body: { currentPassword: string; newPassword: string }): Promise<unknown> {
  return callApi("/api/auth/change-password", { method: "POST", body });
}

/** Starts turning the second factor on; verifying a code completes it. */
export function beginTwoFactor(body: { password: string }): Promise<{ totpURI: string; backupCodes: string[] }> {
  return callApi("/api/auth/two-factor/enable", { method: "POST", body });
}

/** Makes new backup codes; the previous ones stop working. */
export async function makeBackupCodes(body: { password: string; code?: string }): Promise<string[]> {
  const path = "/api/auth/two-factor/generate-backup-codes";
  return (await callApi<{ backupCodes: string[] }>(path, { method: "POST", body })).backupCodes;
}

/** Turns the second factor off. */
export function disableTwoFactor(body: { password: string; code?: string }): Promise<unknown> {
  return callApi("/api/auth/two-factor/disable", { method: "POST", body });
}
