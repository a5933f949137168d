import type { ClientBase } from "pg";
import { perProcess } from "@/lib/config/per-process";
import { afterCommit } from "@/lib/db/after-commit";
import type { Author } from "@/lib/db/authority";

/** A change of a user group that its caller has been told of. Its history entry proves that the database has it. */
export interface Acknowledged {
  environmentId: number;
  teamId: number;
  /** undefined where the change was made by number */
  providedId?: string | undefined;
  /** of the history entry */
  action: string;
  /** of the history entry; no two requests share one */
  requestId: string;
}

/** The most changes that a process holds before it hands them on. */
const MOST_HELD = 50_000;

interface Held {
  changes: Acknowledged[];
  /** changes beyond the most */
  dropped: number;
}

const held = perProcess<Held>("acknowledged changes", () => ({ changes: [], dropped: 0 }));

/**
 * Remembers a change of groups that its caller is about to be told of; on `client`, once its transaction has committed. One without a
 * request has no caller.
 */
export function acknowledge(
  action: string,
  { requestId }: Pick<Author, "requestId">,
  groups: Pick<Acknowledged, "environmentId" | "teamId" | "providedId">[],
  client?: ClientBase,
) {
  if (requestId === null) return;
  void afterCommit(client, () => {
    for (const { environmentId, teamId, providedId } of groups) {
      push({ environmentId, teamId, providedId, action, requestId });
    }
  });
}

function push(change: Acknowledged) {
  if (held.changes.length < MOST_HELD) held.changes.push(change);
  else held.dropped++;
}

/** The changes acknowledged since the last call. */
export function takeAcknowledged(): Readonly<Held> {
  const taken = { ...held };
  held.changes = [];
  held.dropped = 0;
  return taken;
}
