import type { ClientBase } from "pg";
import { perProcess } from "@/lib/config/per-process";

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

/** changes whose transactions have not committed */
const uncommitted = new WeakMap<ClientBase, Acknowledged[]>();

/** Remembers changes that their callers are about to be told of; on `client`, once its transaction has committed. */
export function acknowledge(
  changes: (Omit<Acknowledged, "requestId"> & { requestId: string | null })[],
  client?: ClientBase,
) {
  for (const change of changes) {
    if (change.requestId === null) continue;
    if (client) hold(client, change as Acknowledged);
    else push(change as Acknowledged);
  }
}

function hold(client: ClientBase, change: Acknowledged) {
  const waiting = uncommitted.get(client);
  if (waiting) waiting.push(change);
  else uncommitted.set(client, [change]);
}

function push(change: Acknowledged) {
  if (held.changes.length < MOST_HELD) held.changes.push(change);
  else held.dropped++;
}

/** Ends a transaction's part: its changes were made, or were not. */
export function settle(client: ClientBase, isCommitted: boolean) {
  const changes = uncommitted.get(client);
  if (!changes) return;
  uncommitted.delete(client);
  if (isCommitted) changes.forEach(push);
}

/** The changes acknowledged since the last call. */
export function takeAcknowledged(): Readonly<Held> {
  const taken = { ...held };
  held.changes = [];
  held.dropped = 0;
  return taken;
}
