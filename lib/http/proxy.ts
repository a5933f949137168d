import { Agent, type IncomingMessage, request } from "node:http";
import { CLIENT_ADDRESS } from "@/lib/auth/client-address";
import type { Call } from "@/lib/endpoint/call";
import { unavailable } from "@/lib/errors";
import type { Visit } from "@/lib/http/front-door";
import { tracing } from "@/lib/telemetry/tracer";

/** How long the other process may say nothing, in milliseconds. */
const SILENCE_MS = 30_000;
/** Requests that the other process is sent at a time. Each takes a file, however few connections they came by: more wait. */
const MOST_PROXIED = 128;
/**
 * Headers about one connection and not about what is sent over it (RFC 9110, 7.6.1), and those that are said anew; our own is not
 * a client's to send.
 */
const DROPPED = new Set([
  ...["connection", "keep-alive", "proxy-connection", "upgrade", "http2-settings", "te", "expect", "transfer-encoding"],
  ...["content-length", CLIENT_ADDRESS],
]);
/** Where we trace ourselves, we say with what the other process is to go on. */
const DROPPED_TRACED = new Set([...DROPPED, "traceparent", "tracestate"]);
/** Of an answer these are Node's to say anew. */
const SAID_ANEW = new Set(["connection", "keep-alive", "transfer-encoding"]);

/**
 * Passes requests on to another process of ours on this machine, and its answers back. A body goes as one piece: an answer that
 * came before the rest of it would be lost with the connection.
 */
export function proxyTo(socketPath: string, mostFiles: number): (visit: Visit) => Promise<void> {
  // Below what the other side keeps an idle connection for, so that none closes just as it is used.
  const agent = new Agent({ keepAlive: true, timeout: SILENCE_MS, maxSockets: Math.min(MOST_PROXIED, mostFiles) });
  return async ({ call, req, res }) => {
    const body = await call.readBody();
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
        reject(unavailable(error, "The process of the dashboard does not answer."));
      });
      passed.on("timeout", () => passed.destroy(new Error("the process of the pages does not answer")));
      passed.on("response", (answer) => {
        // A file is silent while its reader is slow, or while little of much is to be in it.
        if (answer.headers["content-disposition"]) answer.socket.setTimeout(0);
        if (answer.headers.connection === "close") res.shouldKeepAlive = false;
        res.writeHead(answer.statusCode ?? 502, answer.statusMessage, without(SAID_ANEW, answer.rawHeaders));
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
}

function headersFor(req: IncomingMessage, { address }: Call, body: Uint8Array): string[] {
  const carried = tracing()?.carried() ?? [];
  // Ours comes first: nothing that a client sends can push it out.
  const sent = without(carried.length > 0 ? DROPPED_TRACED : DROPPED, req.rawHeaders);
  const headers = [CLIENT_ADDRESS, address(), ...sent, ...carried];
  const isBodiless = body.length === 0 && (req.method === "GET" || req.method === "HEAD");
  if (!isBodiless) headers.push("Content-Length", String(body.length));
  return headers;
}

/** Names and values in turn, as Node keeps them raw. */
function without(names: ReadonlySet<string>, raw: string[]): string[] {
  return raw.filter((_, index) => !names.has((raw[index - (index % 2)] ?? "").toLowerCase()));
}
