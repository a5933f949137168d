// Sends GET existing on a timetable, in a separate process that open-loop.ts forks. A response is timed from its
// request's due time: a stalling server is charged for every request that it delays (no coordinated omission).
import { readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../e2e/fixtures/statistics";
import type { Server } from "./load";

/** A request every 1/rate seconds. */
export interface Timetable {
  server: Server;
  rate: number;
  seconds: number;
}

/** The result of a timetable, times in milliseconds. */
export interface Kept {
  /** responses per second, up to the last response */
  perSecond: number;
  p50: number;
  p99: number;
  /** how late requests left despite a free connection, at p99: the generator's own share of the times */
  lag: number;
  errors: number;
}

/** More requests than run concurrently, unless the server stalls. */
const CONNECTIONS = 256;
/** The longest delay before a response is read. */
const LONGEST_SLEEP_MS = 0.1;
/** How long to wait after the last request is due: requests without a response by then are errors. */
const PATIENCE_MS = 10_000;
const CONNECTING_MS = 200;
const HEAD_END = "\r\n\r\n";

/** All connections read into this, one at a time. */
const incoming = Buffer.allocUnsafe(64 * 1024);
const sleeper = new Int32Array(new SharedArrayBuffer(4));
// Linux ends sleeps up to 50 µs late by default.
writeFileSync("/proc/self/timerslack_ns", "1");

process.on("message", async (timetable: Timetable) => process.send?.(await keep(timetable)));

async function keep({ server, rate, seconds }: Timetable): Promise<Kept> {
  const requests = requestsOf(server, Math.round(rate * seconds));
  const times = new Float64Array(requests.length);
  const lags = new Float64Array(requests.length);
  let [sent, answered, refused] = [0, 0, 0];
  const free: Connection[] = [];
  const onResponse = (connection: Connection, request: number, isOk: boolean) => {
    connection.freeSince = performance.now();
    times[request] = connection.freeSince - due(request);
    free.push(connection);
    answered += 1;
    if (!isOk) refused += 1;
  };
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(new URL(server.url), onResponse));
  free.push(...connections);
  await sleep(CONNECTING_MS);
  const start = performance.now();
  const due = (request: number) => start + (request * 1_000) / rate;
  const end = due(requests.length) + PATIENCE_MS;
  while (answered < requests.length && performance.now() < end) {
    for (; sent < requests.length && due(sent) <= performance.now(); sent++) {
      const connection = free.shift();
      if (!connection) break;
      lags[sent] = performance.now() - Math.max(due(sent), connection.freeSince);
      connection.send(sent, requests[sent] ?? incoming);
    }
    const idle = sent < requests.length && free.length > 0 ? due(sent) - performance.now() : LONGEST_SLEEP_MS;
    if (idle > 0) Atomics.wait(sleeper, 0, 0, Math.min(idle, LONGEST_SLEEP_MS));
    await nextTurn();
  }
  const lastResponse = Math.max(...connections.map(({ freeSince }) => freeSince));
  const waited = Array.from(times, (time, request) => time || performance.now() - due(request));
  for (const { socket } of connections) socket.destroy();
  return {
    perSecond: answered / ((lastResponse - start) / 1_000),
    p50: quantile(waited, 0.5),
    p99: quantile(waited, 0.99),
    lag: quantile(Array.from(lags), 0.99),
    errors: refused + requests.length - answered,
  };
}

/** Complete requests for random groups, generated before the first is due. */
function requestsOf({ url, calls, headers, groups }: Server, count: number): Buffer[] {
  const bodies = readFileSync(groups, "utf8").trimEnd().split("\n");
  const fields = Object.entries({ Host: new URL(url).host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const start = `${calls.any} HTTP/1.1\r\n${fields.join("")}Content-Length: `;
  return Array.from({ length: count }, () => {
    const body = bodies[Math.floor(Math.random() * bodies.length)] ?? "";
    return Buffer.from(`${start}${Buffer.byteLength(body)}${HEAD_END}${body}`);
  });
}

/** A connection that stays open, with one request at a time. */
class Connection {
  readonly socket: net.Socket;
  freeSince = 0;
  private request = 0;
  private bytesLeft = 0;
  private isOk = false;

  constructor({ hostname, port }: URL, onResponse: (connection: Connection, request: number, isOk: boolean) => void) {
    const callback = (length: number) => {
      this.read(length);
      if (this.bytesLeft === 0) onResponse(this, this.request, this.isOk);
      return true;
    };
    this.socket = net.connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: { buffer: incoming, callback },
    });
    // After a lost connection, a request gets no response.
    this.socket.on("error", () => this.socket.destroy());
  }

  send(request: number, bytes: Buffer) {
    this.request = request;
    this.socket.write(bytes);
  }

  private read(length: number) {
    if (this.bytesLeft > 0) {
      this.bytesLeft -= length;
      return;
    }
    const head = incoming.toString("latin1", 0, length);
    const end = head.indexOf(HEAD_END);
    const size = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
    if (end < 0 || !size) throw new Error(`The generator cannot read this response: ${head}`);
    this.isOk = head.startsWith("HTTP/1.1 2");
    this.bytesLeft = end + HEAD_END.length + Number(size) - length;
  }
}
