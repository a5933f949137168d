import { existsSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import { Server as TcpServer } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { networkOf, unmapped } from "@/lib/auth/client-address";
import { meter } from "@/lib/telemetry/current";
import { log } from "@/lib/telemetry/log";

/** A client's connection. */
export interface Connection {
  socket: Socket;
  address: string;
  /** running requests */
  busy: number;
  /** when it was opened or its last request ended */
  since: number;
  hasAsked: boolean;
  /** begin its pipelined requests, once those before them have ended */
  waiting: (() => void)[];
  /** bytes sent, when that last changed, or when there was nothing to send */
  sent: number;
  movedAt: number;
}

/** The largest share of one address. */
const SHARE = 3 / 4;
/** The share of connections closed at a time: each time scans all of them. */
const CLOSED_AT_ONCE = 1 / 100;
/** A process's open files other than its connections. */
const OTHER_FILES = 64;
const LOG_PAUSE_MS = 10_000;
const SWEEP_MS = 5_000;
/**
 * How long a client can stop reading before its connection may be closed to make room, and before it is always closed.
 */
const STALLED_MS = 10_000;
const MAX_STALLED_MS = 60_000;

const CONNECTION = Symbol("connection");
type Socket = Duplex & { remoteAddress?: string | undefined; bytesWritten?: number; [CONNECTION]?: Connection };

const open = new Set<Connection>();
const countByAddress = new Map<string, number>();
let begun = 0;

/**
 * Limits a server's connections to `most`. The connection idle for longest makes room for a new one; those without a
 * request yet are closed last. A connection with a running request is closed only once its client stops reading. If
 * none can be closed, the new one is. One address may hold three quarters of them, unless it may be a proxy.
 */
export function watchConnections(server: Server, most: number, { isBehindProxy }: { isBehindProxy: boolean }) {
  const sweeping = setInterval(closeStalled, SWEEP_MS).unref();
  server.once("close", () => clearInterval(sweeping));
  const share = isBehindProxy ? most : Math.max(1, Math.floor(most * SHARE));
  server.on("connection", (socket: Socket) => {
    if (socket[CONNECTION]) return;
    const address = networkOf(unmapped(socket.remoteAddress ?? ""));
    const now = performance.now();
    const connection: Connection = {
      socket,
      address,
      busy: 0,
      since: now,
      hasAsked: false,
      waiting: [],
      sent: 0,
      movedAt: now,
    };
    socket[CONNECTION] = connection;
    open.add(connection);
    const count = (countByAddress.get(address) ?? 0) + 1;
    countByAddress.set(address, count);
    socket.once("close", () => forget(connection));
    const isFull = open.size > most;
    if (count > share) makeRoom(connection, isFull, ({ address: other }) => other === address);
    else if (isFull) makeRoom(connection, isFull, () => true);
  });
}

/** Closes connections of clients that stopped reading long ago: they would otherwise stay open indefinitely. */
function closeStalled() {
  const now = performance.now();
  for (const connection of open) {
    const { socket } = connection;
    const sent = (socket.bytesWritten ?? 0) - socket.writableLength;
    if (socket.writableLength === 0 || sent !== connection.sent) Object.assign(connection, { sent, movedAt: now });
    else if (now - connection.movedAt > MAX_STALLED_MS) socket.destroy();
  }
}

/** Notes the start of a request on a connection. */
export function beginRequest(socket: Socket): Connection | undefined {
  begun++;
  const connection = socket[CONNECTION];
  if (!connection) return undefined;
  connection.busy++;
  connection.hasAsked = true;
  return connection;
}

/** Notes the end of a request, answered or aborted. */
export function endRequest(connection: Connection, now: number) {
  connection.busy--;
  connection.since = now;
  connection.waiting.shift()?.();
}

/** Whether pipelined requests wait on the connection. */
export function hasWaiting(socket: Socket): boolean {
  return (socket[CONNECTION]?.waiting.length ?? 0) > 0;
}

export function openConnections(): number {
  return open.size;
}

/** The most connections that the process's file limit allows. A request for a page takes a second file. */
export function affordableConnections(poolSize: number): number {
  return Math.max(1, Math.floor((openFileLimit() - OTHER_FILES - poolSize) / 2));
}

function forget(connection: Connection) {
  if (!open.delete(connection)) return;
  const { address } = connection;
  const left = (countByAddress.get(address) ?? 0) - 1;
  if (left > 0) countByAddress.set(address, left);
  else countByAddress.delete(address);
}

function makeRoom(newcomer: Connection, isFull: boolean, isAmong: (connection: Connection) => boolean) {
  const stalledBefore = performance.now() - STALLED_MS;
  const isFree = (one: Connection) => one.busy === 0 || (one.socket.writableLength > 0 && one.movedAt < stalledBefore);
  const idle = [...open].filter((one) => isFree(one) && one !== newcomer && isAmong(one));
  idle.sort((a, b) => Number(b.hasAsked) - Number(a.hasAsked) || a.since - b.since);
  const closed = idle.slice(0, Math.max(1, Math.floor(open.size * CLOSED_AT_ONCE)));
  for (const connection of closed.length > 0 ? closed : [newcomer]) {
    forget(connection);
    connection.socket.destroy();
  }
  if (closed.length > 0) countClosed("room", closed.length);
  // An address beyond its share concerns nobody else.
  else if (isFull) countClosed("refused", 1);
}

const unlogged = { room: 0, refused: 0 };
let loggedAt: number | undefined;

function countClosed(reason: "room" | "refused", count: number) {
  meter()?.closed(reason, count);
  unlogged[reason] += count;
  const now = performance.now();
  if (loggedAt !== undefined && now - loggedAt < LOG_PAUSE_MS) return;
  loggedAt = now;
  const { room, refused } = unlogged;
  log().warn({ open: open.size, closed_for_room: room, refused }, "connection limit reached: connections were closed");
  Object.assign(unlogged, { room: 0, refused: 0 });
}

function openFileLimit(): number {
  const file = "/proc/self/limits";
  const soft = existsSync(file)
    ? /^Max open files +(\S+)/m.exec(readFileSync(file, "utf8"))?.[1]
    : (process.report.getReport() as { userLimits?: Record<string, { soft: string | number }> }).userLimits?.open_files
        ?.soft;
  return Number(soft) || Number.POSITIVE_INFINITY;
}

/** How long there must be no request before connections close, once the service is stopping, in milliseconds. */
const SILENCE_MS = 500;
/** Event loop turns without a new connection after which none is assumed to be waiting, and the most turns to run. */
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
  // Those without a request yet, which Node does not count as idle: browsers open some in advance.
  for (const { hasAsked, socket } of open) if (!hasAsked) socket.destroy();
}

/**
 * Resolves when no request has come for a while. Unread input counts: a busy machine may run the timer late, before
 * reading it.
 */
async function silence() {
  for (let before = -1; before !== begun; await nextTurn(), await nextTurn()) {
    before = begun;
    await sleep(SILENCE_MS);
  }
}

/**
 * Accepts waiting connections, one per turn of the event loop: closing the server would reset them.
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
