import { callApi } from "@/lib/browser/api-client";
import type { Group } from "@/lib/groups/queries";
import type { FoundToken } from "@/lib/groups/token-schema";

/** The part of an answer that holds the token. */
interface WithToken {
  user_group: { token: string };
}

/**
 * Finds the owner of a token.
 * @throws {ApiError}
 */
export function findByToken(environment: string, text: string, signal: AbortSignal): Promise<FoundToken> {
  const path = "/api/user-groups/find-by-token";
  return callApi(path, { environment, method: "POST", body: { text }, signal, isRepeatable: true });
}

/**
 * Gives the group a new token and returns it; the previous one stops working.
 * @throws {ApiError} `stale` when the group has changed
 */
export async function askToRotateToken(environment: string, { teamId, etag }: Group): Promise<string> {
  const options = { environment, method: "POST", body: { team_id: teamId }, headers: { "If-Match": etag } } as const;
  const { user_group } = await callApi<WithToken>("/api/user-groups/rotate", options);
  return user_group.token;
}

/**
 * The group's token, to show or copy; the history records which.
 * @throws {ApiError}
 */
export async function askToRevealToken(
  environment: string,
  teamId: number,
  purpose: "reveal" | "copy",
): Promise<string> {
  const options = { environment, method: "POST", body: { team_id: teamId, purpose }, isRepeatable: true } as const;
  const { user_group } = await callApi<WithToken>("/api/user-groups/token", options);
  return user_group.token;
}
