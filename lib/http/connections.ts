import { existsSync, readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Duplex } from "node:stream";
import { networkOf, unmapped } from "@/lib/auth/client-address";
import { log } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

/** A connection of a client. */
export interface Connection {
  socket: Socket;
  address: string;
  /** requests under way */
  busy: number;
  /** when it was opened or, later, when its last request ended */
  since: number;
  hasAsked: boolean;
  /** bytes of answers that have left, when that last changed, or when there was nothing to send */
  sent: number;
  movedAt: number;
}

/** The most that one address may hold. */
const SHARE = 3 / 4;
/** Of all connections, how many are closed at a time: each time takes a look at all of them. */
const CLOSED_AT_ONCE = 1 / 100;
/** Files that a process has open beside its connections and those to the database. */
const OTHER_FILES = 64;
const LOG_PAUSE_MS = 10_000;
const SWEEP_MS = 5_000;
/** How long a client may take nothing of an answer: until it may be closed for room, and until it is closed. */
const STALLED_MS = 10_000;
const MOST_STALLED_MS = 60_000;

const CONNECTION = Symbol("connection");
type Socket = Duplex & { remoteAddress?: string | undefined; bytesWritten?: number; [CONNECTION]?: Connection };

const open = new Set<Connection>();
const countByAddress = new Map<string, number>();
let begun = 0;

/**
 * Watches over the connections of a server and keeps them below `most`: the longest idle one makes room for a new one, those that
 * have sent no request yet last. One whose request is being answered is only closed once its client takes nothing of the answer;
 * if there is none of these, the new one is.
 * One address has three quarters of them at most, unless it may be a proxy's.
 */
export function watchConnections(server: Server, most: number, { isBehindProxy }: { isBehindProxy: boolean }) {
  const sweeping = setInterval(closeStalled, SWEEP_MS).unref();
  server.once("close", () => clearInterval(sweeping));
  const share = isBehindProxy ? most : Math.max(1, Math.floor(most * SHARE));
  server.on("connection", (socket: Socket) => {
    if (socket[CONNECTION]) return;
    const address = networkOf(unmapped(socket.remoteAddress ?? ""));
    const now = performance.now();
    const connection = { socket, address, busy: 0, since: now, hasAsked: false, sent: 0, movedAt: now };
    socket[CONNECTION] = connection;
    open.add(connection);
    const count = (countByAddress.get(address) ?? 0) + 1;
    countByAddress.set(address, count);
    socket.once("close", () => forget(connection));
    if (count > share) makeRoom(connection, ({ address: other }) => other === address);
    else if (open.size > most) makeRoom(connection, () => true);
  });
}

/** Closes connections whose clients have long taken nothing of an answer: they would be held for as long as somebody likes. */
function closeStalled() {
  const now = performance.now();
  for (const connection of open) {
    const { socket } = connection;
    const sent = (socket.bytesWritten ?? 0) - socket.writableLength;
    if (socket.writableLength === 0 || sent !== connection.sent) Object.assign(connection, { sent, movedAt: now });
    else if (now - connection.movedAt > MOST_STALLED_MS) socket.destroy();
  }
}

/** Notes that a connection has sent a request. */
export function beginRequest(socket: Socket): Connection | undefined {
  begun++;
  const connection = socket[CONNECTION];
  if (!connection) return undefined;
  connection.busy++;
  connection.hasAsked = true;
  return connection;
}

/** Notes that a request was answered or given up. */
export function endRequest(connection: Connection, now: number) {
  connection.busy--;
  connection.since = now;
}

/** How many requests have begun. */
export function requestsBegun(): number {
  return begun;
}

/** Closes connections that have sent no request yet, which Node does not count as idle: browsers open some ahead of need. */
export function closeSilent() {
  for (const { hasAsked, socket } of open) if (!hasAsked) socket.destroy();
}

export function openConnections(): number {
  return open.size;
}

/** The most connections the process can have with the files it may open. A request for a page takes a second file. */
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

function makeRoom(newcomer: Connection, isAmong: (connection: Connection) => boolean) {
  const stalledBefore = performance.now() - STALLED_MS;
  const isFree = (one: Connection) => one.busy === 0 || (one.socket.writableLength > 0 && one.movedAt < stalledBefore);
  const idle = [...open].filter((one) => isFree(one) && one !== newcomer && isAmong(one));
  idle.sort((a, b) => Number(b.hasAsked) - Number(a.hasAsked) || a.since - b.since);
  const closed = idle.slice(0, Math.max(1, Math.floor(open.size * CLOSED_AT_ONCE)));
  for (const connection of closed.length > 0 ? closed : [newcomer]) {
    forget(connection);
    connection.socket.destroy();
  }
  if (closed.length > 0) note("room", closed.length);
  else note("refused", 1);
}

const unlogged = { room: 0, refused: 0 };
let loggedAt: number | undefined;

function note(reason: "room" | "refused", count: number) {
  meter()?.closed(reason, count);
  unlogged[reason] += count;
  const now = performance.now();
  if (loggedAt !== undefined && now - loggedAt < LOG_PAUSE_MS) return;
  loggedAt = now;
  const { room, refused } = unlogged;
  log().warn({ open: open.size, closed_for_room: room, refused }, "connections were closed for want of room");
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
