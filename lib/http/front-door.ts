import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type Answer, answerError, apiHeaders, type Call } from "@/lib/endpoint/call";
import type { FoundRoute, Routes } from "@/lib/endpoint/routes";
import { allowedMethods, endpointFor, METHODS, methodNotAllowed, NO_PARAMETERS } from "@/lib/endpoint/routes";
import { AppError } from "@/lib/errors";
import { logWhenDone } from "@/lib/http/access-log";
import { behindArrivals } from "@/lib/http/arrivals";
import { answerClientError, badRequest, LINGER_MS, refuseConnect, unknownCoding } from "@/lib/http/client-error";
import { beginRequest, isDraining, watchConnections } from "@/lib/http/connections";
import { errorPage, isForPage } from "@/lib/http/plain-page";
import { isFullyRead, readBody } from "@/lib/http/request-body";
import { settleShapes } from "@/lib/http/shapes";
import { sendStream } from "@/lib/http/stream";

/** A request as received, its metadata, and its response. */
export interface Exchange {
  call: Call;
  req: IncomingMessage;
  res: ServerResponse;
}

export interface Visit extends Exchange {
  /** whether its path, as spelt, is under /api */
  isApi: boolean;
}

interface FrontDoorOptions {
  /** the routes answered here */
  routes: Routes;
  /** answers everything else, or throws the error to answer with */
  rest(visit: Visit): void | Promise<void>;
  /** whether a request for one of `routes` goes to the rest anyway */
  isForRest?(req: IncomingMessage): boolean;
  /** @throws {AppError} when the address cannot be determined */
  addressOf(req: IncomingMessage): string;
  /** the most open client connections; unlimited by default */
  mostConnections?: number;
  /** whether all connections may come from one address */
  isBehindProxy?: boolean;
  /** the most headers of a request */
  mostHeaders?: number;
}

/** More than any client sends, not counting a proxy's. */
const MAX_HEADERS = 200;
/** Requests that may wait on a connection for the one before them. */
const MAX_PIPELINED = 16;
const PLAIN_API_PATH = /^\/api(?:\/[\w~-][\w.~-]*)+\/?$/;

/** A server with the limits for every client; not listening yet. */
export function openServer(options: FrontDoorOptions): Server {
  settleShapes();
  const server = createServer({
    joinDuplicateHeaders: true,
    // The front door reports it in our own shape.
    requireHostHeader: false,
    headersTimeout: 8_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 500,
    // Longer than usual proxies' idle timeouts, so that none reuses a connection that is closing.
    keepAliveTimeout: 75_000,
  });
  // Node silently drops headers beyond its limit; the front door counts and refuses them.
  server.maxHeadersCount = 0;
  watchConnections(server, options.mostConnections ?? Number.POSITIVE_INFINITY, {
    isBehindProxy: options.isBehindProxy ?? true,
  });
  const afterArrivals = behindArrivals(server);
  const listener = frontDoor(options, afterArrivals);
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, listener);
  // Runs one microtask after queued requests: if one of them lost its body, its reader must see that error first.
  server.on("clientError", (error, socket) => {
    afterArrivals(() => queueMicrotask(() => answerClientError(error, socket)));
  });
  return server.on("connect", refuseConnect);
}

/** The listener for every request: answers its routes, refuses malformed requests, passes on the rest. */
function frontDoor(options: FrontDoorOptions, afterArrivals: (work: () => void) => void): RequestListener {
  const { routes, addressOf } = options;
  return (req, res) => {
    const target = req.url ?? "";
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const route = routes.find(plain);
    const call: Call = {
      requestId: randomUUID(),
      method: req.method ?? "",
      path,
      query: mark < 0 || mark === target.length - 1 ? undefined : target.slice(mark + 1),
      parameters: route?.parameters ?? NO_PARAMETERS,
      headers: req.headers,
      readBody: () => readBody(req, res, route?.methods[call.method]?.maxBody),
      address: () => addressOf(req),
      onClose: (work) => void (res.destroyed ? work() : res.once("close", work)),
    };
    const connection = beginRequest(req.socket);
    logWhenDone({ call, res, route: route?.path, connection });
    if (isDraining()) res.shouldKeepAlive = false;
    const begin = () => {
      // Aborted while it waited, or after the connection's last answer: its handler would not be notified.
      if (req.destroyed || req.socket.writableEnded) return;
      void answerVisit(options, route, { call, req, res });
    };
    // Pipelined requests are answered in turn (RFC 9112, 9.3.2). Node would read any number of them.
    if (!connection || connection.busy === 1) afterArrivals(begin);
    else if (connection.waiting.length < MAX_PIPELINED) connection.waiting.push(() => afterArrivals(begin));
    else req.socket.destroy();
  };
}

async function answerVisit(
  { rest, isForRest = () => false, mostHeaders = MAX_HEADERS }: FrontDoorOptions,
  route: FoundRoute | undefined,
  exchange: Exchange,
) {
  const { call, req, res } = exchange;
  const isApi = route !== undefined || PLAIN_API_PATH.test(call.path);
  try {
    if (req.rawHeaders.length > 2 * mostHeaders) {
      throw new AppError("headers_too_large", `The request has more than ${mostHeaders} headers.`);
    }
    refuse(exchange, isApi, route);
    if (!route || isForRest(req)) return await rest({ isApi, ...exchange });
    send(exchange, await answerRoute(route, call));
  } catch (error) {
    const answer = answerError(error, call.requestId, isApi || !isForPage(req) ? undefined : errorPage);
    if (res.headersSent) res.destroy();
    else send(exchange, answer);
  }
}

function answerRoute({ methods }: FoundRoute, call: Call): Answer | Promise<Answer> {
  const endpoint = endpointFor(methods, call.method);
  if (endpoint) return endpoint.answer(call.method === "HEAD" ? { ...call, method: "GET" } : call);
  const allowed = allowedMethods(methods);
  if (call.method !== "OPTIONS") throw methodNotAllowed(allowed);
  return { status: 204, headers: { Allow: allowed.join(", ") }, body: "" };
}

/** @throws {AppError} when the request is malformed, or only resembles one of ours */
function refuse({ req, call }: Exchange, isApi: boolean, route: FoundRoute | undefined) {
  const { httpVersion, headers } = req;
  const { path, method } = call;
  // HTTP/1.0, still used by load balancers for health checks, has none.
  const isOneHost = headers.host === undefined ? httpVersion === "1.0" : !headers.host.includes(",");
  if (!isOneHost) throw badRequest("The request must have exactly one Host header.");
  if (!path.startsWith("/")) throw badRequest("The request's target must be a path.");
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") throw unknownCoding();
  if (route) return;
  if (!isApi && isDisguisedApi(path)) throw misspelt(path);
  if (!METHODS.includes(method)) throw methodNotAllowed(METHODS);
}

/** Whether a path that is not ours would become ours after decoding or case folding. */
function isDisguisedApi(path: string): boolean {
  try {
    const plain = decodeURIComponent(path)
      .toLowerCase()
      .replace(/[\\/]+/g, "/");
    return new URL(plain, "http://localhost").pathname.split("/")[1] === "api";
  } catch {
    return true;
  }
}

function misspelt(path: string): AppError {
  const fault = path.includes("//")
    ? "The path has two slashes in a row, as when a base URL that ends in a slash is put before a path that begins " +
      "with one."
    : "Paths are case-sensitive, and take no percent-encoding and no dots.";
  return new AppError("not_found", `Not found. ${fault} /docs lists the calls.`);
}

/** Sends an answer; the rest of the request's body is drained for a while before the connection closes. */
function send(exchange: Exchange, answer: Answer) {
  const { call, req, res } = exchange;
  const headers = apiHeaders(answer, call.requestId);
  const { status, body } = answer;
  if (typeof body !== "string") return sendStream(exchange, { status, headers, body });
  if (status !== 204) headers["Content-Length"] = String(Buffer.byteLength(body));
  if (isFullyRead(req) || res.destroyed) return void res.writeHead(status, headers).end(body);
  headers.Connection = "close";
  res.writeHead(status, headers);
  if (req.method === "HEAD" || body === "") res.flushHeaders();
  else res.write(body);
  endLater(req, res);
}

/** Ends an answer that preceded the end of its request, once the rest has been read, or after a while. */
function endLater(req: IncomingMessage, res: ServerResponse) {
  const timer = setTimeout(() => res.end(), LINGER_MS);
  req.resume().once("close", () => {
    clearTimeout(timer);
    res.end();
  });
}
