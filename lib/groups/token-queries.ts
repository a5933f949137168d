import { ApiError, callApi } from "@/lib/browser/api-client";
import { Semaphore } from "@/lib/config/semaphore";
import type { Group } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import type { FoundToken } from "@/lib/groups/token-schema";

/** The most groups whose tokens can be copied together: each takes a request and an entry in the history. */
export const MAX_TOKENS = 200;
/** Maximum concurrent requests. */
const LANES = 4;

/** The part of an answer that holds the token. */
interface WithToken {
  user_group: { token: string };
}

/** Finds the owner of a token: asks each environment until one knows it. */
export async function findByToken(environments: string[], text: string, signal: AbortSignal): Promise<FoundToken> {
  let found: FoundToken = { success: 1, found: "unknown" };
  for (const environment of environments) {
    const options = { environment, method: "POST", body: { text }, signal, isRepeatable: true } as const;
    found = await callApi<FoundToken>("/api/user-groups/find-by-token", options).catch((error: unknown) => {
      // The environment was deleted after it was listed.
      if (error instanceof ApiError && error.code === "not_found") return found;
      throw error;
    });
    if (found.found !== "unknown") break;
  }
  return found;
}

/** A new token, and until when the previous one works; null if it no longer does. */
export interface RotatedToken {
  token: string;
  previousValidUntil: string | null;
}

/**
 * Gives the group a new token; the previous one stops working after `overlapSeconds`.
 * @throws {ApiError} `stale` when the group has changed, `overlap_running`
 */
export async function askToRotateToken(
  environment: string,
  { teamId, etag }: Group,
  overlapSeconds: number,
): Promise<RotatedToken> {
  const body = { team_id: teamId, ...(overlapSeconds > 0 && { overlap_seconds: overlapSeconds }) };
  const options = { environment, method: "POST", body, headers: { "If-Match": etag } } as const;
  const answer = await callApi<WithToken & { previous_token_valid_until?: string }>("/api/user-groups/rotate", options);
  return { token: answer.user_group.token, previousValidUntil: answer.previous_token_valid_until ?? null };
}

/** Ends a group's overlap; false when none was running. */
export async function askToEndOverlap(environment: string, providedId: string): Promise<boolean> {
  const options = { environment, method: "POST", body: { user_group_id: providedId } } as const;
  return (await callApi<{ overlap_ended: boolean }>("/api/user/end-overlap", options)).overlap_ended;
}

/** The group's token, to show or copy; the history records the purpose. */
export async function askToRevealToken(
  environment: string,
  teamId: number,
  purpose: "reveal" | "copy",
): Promise<string> {
  const options = { environment, method: "POST", body: { team_id: teamId, purpose }, isRepeatable: true } as const;
  const { user_group } = await callApi<WithToken>("/api/user-groups/token", options);
  return user_group.token;
}

/** The tokens of groups as lines of id, tab and token, in the groups' order. */
export async function fetchTokenLines(environment: string, groups: GroupReference[]): Promise<string> {
  const lanes = new Semaphore(LANES);
  const lineOf = async ({ providedId, teamId }: GroupReference) =>
    `${providedId}\t${await askToRevealToken(environment, teamId, "copy")}\n`;
  return (await Promise.all(groups.map((group) => lanes.run(undefined, () => lineOf(group))))).join("");
}
