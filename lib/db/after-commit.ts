import type { ClientBase } from "pg";

type Work = () => Promise<void> | void;

/** what to do once the transactions of these connections have committed */
const waiting = new WeakMap<ClientBase, Work[]>();

/** Does the work; on `client`, once its transaction has committed. */
export function afterCommit(client: ClientBase | undefined, work: Work): Promise<void> | void {
  if (!client) return work();
  const works = waiting.get(client);
  if (works) works.push(work);
  else waiting.set(client, [work]);
}

/** Ends a transaction's part: does what waits for it if it has committed, and forgets it otherwise. */
export async function settle(client: ClientBase, isCommitted: boolean) {
  const works = waiting.get(client);
  if (!works) return;
  waiting.delete(client);
  if (isCommitted) await Promise.all(works.map((work) => work()));
}
