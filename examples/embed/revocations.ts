import { setTimeout as sleep } from "node:timers/promises";
import type { Revocation, UserGroupsClient } from "@user-groups/client";

const POLL_MS = 1_000;

/** What a verifier asks about a token. */
export interface KnownRevocations {
  lowestGeneration(teamId: number): number | undefined;
  viewerEndedBefore(teamId: number, viewerKey: string): string | undefined;
}

/**
 * Asks for revocations every second, until `signal`. While the service cannot be reached, a revoked token is accepted
 * until it expires.
 */
export async function followRevocations(userGroups: UserGroupsClient, signal?: AbortSignal): Promise<KnownRevocations> {
  const lowest = new Map<number, number>();
  const ended = new Map<string, string>();
  const note = (one: Revocation) => {
    if ("gen" in one) {
      lowest.set(one.team_id, Math.max(one.gen, lowest.get(one.team_id) ?? 0));
      return;
    }
    const person = `${one.team_id} ${one.viewer_key}`;
    // All are in UTC and of one length, so the later text is the later time.
    if (one.before > (ended.get(person) ?? "")) ended.set(person, one.before);
  };
  let since: string | undefined;
  const readAll = async () => {
    const revocations = userGroups.iterateRevocations(since);
    for (;;) {
      const { done, value } = await revocations.next();
      if (done) {
        since = value;
        return;
      }
      note(value);
    }
  };
  const pollOn = async () => {
    for (;;) {
      await sleep(POLL_MS);
      if (signal?.aborted) return;
      await readAll().catch((error: unknown) => signal?.aborted || console.error(error));
    }
  };
  // Nothing is verified before all that still matter are known.
  await readAll();
  void pollOn();
  return {
    lowestGeneration: (teamId) => lowest.get(teamId),
    viewerEndedBefore: (teamId, viewerKey) => ended.get(`${teamId} ${viewerKey}`),
  };
}
