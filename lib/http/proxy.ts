import { Agent, type IncomingMessage, request } from "node:http";
import { CLIENT_ADDRESS, networkOf } from "@/lib/auth/client-address";
import { Semaphore } from "@/lib/config/semaphore";
import { type Call, MAX_BODY_BYTES } from "@/lib/endpoint/call";
import { AppError, unavailable } from "@/lib/errors";
import type { Visit } from "@/lib/http/front-door";
import { isForPage, PLAIN_PAGE_HEADERS, plainPage } from "@/lib/http/plain-page";

/** How long the other process may be silent, in milliseconds: longer than a call can wait for events. */
const SILENCE_MS = 40_000;
/** Concurrent requests to the other process. Each takes a file, however few the connections; further ones wait. */
const MAX_PROXIED = 128;
/** Shared by networks, so that a client that never reads its answers cannot take all places. */
const proxied = new Semaphore<string>(MAX_PROXIED, { isFair: true });
/**
 * How many bodies beyond the usual limit are held at a time, and how many from one address: only the other process
 * finds out who sent them.
 */
const largeBodies = new Semaphore<string>(16, { share: 4 });
/**
 * Hop-by-hop headers (RFC 9110, 7.6.1), and headers that are set again: our own must not come from a client.
 */
const DROPPED = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "upgrade",
  "http2-settings",
  "te",
  "expect",
  "transfer-encoding",
  "content-length",
  CLIENT_ADDRESS,
]);
/** Headers of an answer that Node sets itself. */
const SET_BY_NODE = new Set(["connection", "keep-alive", "transfer-encoding"]);

/** For a browser that opens a page while the other process starts, or is replaced. */
const WAITING = plainPage("Not ready yet", "The dashboard is not ready yet. This page opens it as soon as it is.");
const WAITING_HEADERS = { ...PLAIN_PAGE_HEADERS, "Retry-After": "2", Refresh: "2" };

/**
 * Passes requests to another process of ours on this machine, and returns its answers. A body is sent whole: an answer
 * that preceded the end of its request would be lost with the connection.
 */
export function proxyTo(socketPath: string, mostFiles: number): (visit: Visit) => Promise<void> {
  // Below the other side's keep-alive timeout, so that no connection closes just as it is used.
  const agent = new Agent({ keepAlive: true, timeout: SILENCE_MS, maxSockets: Math.min(MAX_PROXIED, mostFiles) });
  const pass = async ({ call, req, res }: Visit, body: Uint8Array) => {
    const headers = headersFor(req, call, body);
    await new Promise<void>((resolve, reject) => {
      const passed = request({ agent, socketPath, method: req.method, path: req.url, headers });
      const end = () => {
        passed.destroy();
        resolve();
      };
      passed.on("error", (error) => {
        if (res.headersSent || res.destroyed) {
          res.destroy();
          return end();
        }
        call.isLoggedElsewhere = false;
        if (!isForPage(req)) return reject(unavailable(error, "The dashboard's process does not respond."));
        res.writeHead(503, { ...WAITING_HEADERS, "X-Request-Id": call.requestId }).end(WAITING);
        resolve();
      });
      passed.on("timeout", () => passed.destroy(new Error("the dashboard's process does not respond")));
      passed.on("response", (answer) => {
        // A download is silent while its reader is slow, or while few of many rows match.
        if (answer.headers["content-disposition"]) answer.socket.setTimeout(0);
        if (answer.headers.connection === "close") res.shouldKeepAlive = false;
        res.writeHead(answer.statusCode ?? 502, answer.statusMessage, without(SET_BY_NODE, answer.rawHeaders));
        res.flushHeaders();
        answer.pipe(res);
        answer.on("error", () => res.destroy());
        answer.on("end", resolve);
      });
      res.once("close", end);
      call.isLoggedElsewhere = true;
      passed.end(body);
    });
  };
  return async (visit) => {
    const leave = mayBeLarge(visit.req) ? keepLarge(visit.call) : undefined;
    try {
      const body = await visit.call.readBody();
      const gone = new AbortController();
      visit.res.once("close", () => gone.abort());
      await proxied.run(networkOf(visit.call.address()), () => pass(visit, body), gone.signal);
    } catch (error) {
      // Its client left while it waited.
      if (!(error instanceof Error && error.name === "AbortError")) throw error;
    } finally {
      leave?.();
    }
  };
}

function mayBeLarge({ headers }: IncomingMessage): boolean {
  return Number(headers["content-length"]) > MAX_BODY_BYTES || headers["transfer-encoding"] !== undefined;
}

/** @throws {AppError} `rate_limited` */
function keepLarge({ address }: Call): () => void {
  const leave = largeBodies.enter(networkOf(address()));
  if (leave) return leave;
  throw new AppError("rate_limited", "Too many large requests from browsers are in progress. Try again in a moment.", {
    headers: { "Retry-After": "1" },
  });
}

function headersFor(req: IncomingMessage, { address }: Call, body: Uint8Array): string[] {
  // Ours first, so that client headers cannot displace it.
  const headers = [CLIENT_ADDRESS, address(), ...without(DROPPED, req.rawHeaders)];
  const isBodiless = body.length === 0 && (req.method === "GET" || req.method === "HEAD");
  if (!isBodiless) headers.push("Content-Length", String(body.length));
  return headers;
}

/** Names and values alternate, as in Node's raw headers. */
function without(names: ReadonlySet<string>, raw: string[]): string[] {
  return raw.filter((_, index) => !names.has((raw[index - (index % 2)] ?? "").toLowerCase()));
}
