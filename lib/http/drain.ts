import type { Server } from "node:http";
import { Server as TcpServer } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { closeSilent, requestsBegun } from "@/lib/http/connections";

/** How long all connections may go without a request once the service is stopping, in milliseconds. */
const SILENCE_MS = 500;
/** Turns of the event loop without a new connection after which none waits, and how many are gone through at most. */
const QUIET_TURNS = 3;
const MOST_TURNS = 1_000;

let draining = false;

/**
 * Takes no new connections; those there are close with their next answer, and those that wait for none soon. Not at once, as
 * Node's own `close` would have it: what seems idle may have a request on its way, which no proxy sends again if it is a POST.
 */
export async function drain(server: Server, closed: () => void) {
  draining = true;
  await acceptWaiting(server);
  TcpServer.prototype.close.call(server, closed);
  await silence();
  server.closeIdleConnections();
  closeSilent();
}

/** Until no request has come for a while. What waits to be read counts: a busy machine may run a timer late, and before that. */
async function silence() {
  for (let before = -1; before !== requestsBegun(); await nextTurn(), await nextTurn()) {
    before = requestsBegun();
    await sleep(SILENCE_MS);
  }
}

/** Closing resets connections that wait to be accepted, of which each turn of the loop takes one: they are taken first. */
async function acceptWaiting(server: Server) {
  let quiet = 0;
  const isBusy = () => {
    quiet = 0;
  };
  server.on("connection", isBusy);
  for (let turn = 0; quiet < QUIET_TURNS && turn < MOST_TURNS; turn++, quiet++) await nextTurn();
  server.off("connection", isBusy);
}

/** Whether each connection is to close with its next answer. */
export function isDraining(): boolean {
  return draining;
}
