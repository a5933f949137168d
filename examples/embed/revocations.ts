import { setTimeout as sleep } from "node:timers/promises";
import type { UserGroupsClient } from "@user-groups/client";

const POLL_MS = 1_000;

/**
 * Asks for revocations every second, and gives the lowest valid generation of a group. While the service cannot be reached, a revoked
 * token is accepted until it expires.
 */
export async function followRevocations(userGroups: UserGroupsClient): Promise<(teamId: number) => number | undefined> {
  const lowest = new Map<number, number>();
  let since: string | undefined;
  const readAll = async () => {
    const revocations = userGroups.iterateRevocations(since);
    for (;;) {
      const { done, value } = await revocations.next();
      if (done) {
        since = value;
        return;
      }
      lowest.set(value.team_id, Math.max(value.gen, lowest.get(value.team_id) ?? 0));
    }
  };
  const pollOn = async () => {
    for (;;) {
      await sleep(POLL_MS);
      await readAll().catch((error: unknown) => console.error(error));
    }
  };
  // Nothing is verified before all that still matter are known.
  await readAll();
  void pollOn();
  return (teamId) => lowest.get(teamId);
}
