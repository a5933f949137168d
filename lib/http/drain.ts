import type { Server } from "node:http";
import { Server as TcpServer } from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { closeSilent, requestsBegun } from "@/lib/http/connections";

/** How long there must be no request before connections close, once the service is stopping, in milliseconds. */
const SILENCE_MS = 500;
/** Turns of the event loop without a new connection before none is assumed to wait, and the most turns to run. */
const QUIET_TURNS = 3;
const MAX_TURNS = 1_000;

let draining = false;

/**
 * Accepts no new connections; busy ones close with their next answer, idle ones soon. Not immediately, as with Node's
 * own `close`: a seemingly idle connection may have a request in flight, which no proxy repeats if it is a POST
 * (https://github.com/nodejs/node/issues/60617).
 */
export async function drain(server: Server, closed: () => void) {
  draining = true;
  await acceptWaiting(server);
  TcpServer.prototype.close.call(server, closed);
  await silence();
  server.closeIdleConnections();
  closeSilent();
}

/**
 * Resolves when no request has come for a while. Unread input counts: a busy machine may run the timer late, before
 * reading it.
 */
async function silence() {
  for (let before = -1; before !== requestsBegun(); await nextTurn(), await nextTurn()) {
    before = requestsBegun();
    await sleep(SILENCE_MS);
  }
}

/**
 * Closing resets connections that wait to be accepted, one of which is accepted per turn of the loop: accept them
 * first.
 */
async function acceptWaiting(server: Server) {
  let quiet = 0;
  const isBusy = () => {
    quiet = 0;
  };
  server.on("connection", isBusy);
  for (let turn = 0; quiet < QUIET_TURNS && turn < MAX_TURNS; turn++, quiet++) await nextTurn();
  server.off("connection", isBusy);
}

/** Whether each connection closes with its next answer. */
export function isDraining(): boolean {
  return draining;
}
