import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { answerError } from "@/lib/endpoint/answer";
import { type Answer, apiHeaders, type Call, NO_PARAMETERS } from "@/lib/endpoint/call";
import { allowedMethods, METHODS, methodNotAllowed } from "@/lib/endpoint/methods";
import type { FoundRoute, Routes } from "@/lib/endpoint/routes";
import { AppError, notFound } from "@/lib/errors";
import { logWhenDone } from "@/lib/http/access-log";
import { behindArrivals } from "@/lib/http/arrivals";
import { answerClientError, badRequest, LINGER_MS, refuseConnect, unknownCoding } from "@/lib/http/client-error";
import { beginRequest, watchConnections } from "@/lib/http/connections";
import { isDraining } from "@/lib/http/drain";
import { isTakenIn, readBody } from "@/lib/http/request-body";
import { settleShapes } from "@/lib/http/shapes";
import { sendStream } from "@/lib/http/stream";
import { maskPath } from "@/lib/telemetry/mask-tokens";
import { tracing } from "@/lib/telemetry/tracer";

/** A request as it came, what is known of it, and where its answer goes. */
export interface Exchange {
  call: Call;
  req: IncomingMessage;
  res: ServerResponse;
}

export interface Visit extends Exchange {
  /** whether it is for a path under /api that is spelt as ours are */
  isApi: boolean;
}

interface FrontDoorOptions {
  /** what is answered here */
  routes: Routes;
  /** answers everything else, or throws what is to be answered */
  rest(visit: Visit): void | Promise<void>;
  /** whether a request for one of `routes` is for the rest all the same */
  isForRest?(req: IncomingMessage): boolean;
  /** @throws {AppError} when that cannot be told */
  addressOf(req: IncomingMessage): string;
  /** the most connections that clients may have open; any number unless given */
  mostConnections?: number;
  /** whether all connections may come from one address */
  isBehindProxy?: boolean;
  /** the most headers a request may have */
  mostHeaders?: number;
}

/** More than any client sends; what a proxy adds comes on top of that. */
const MOST_HEADERS = 200;
const PLAIN_API_PATH = /^\/api(?:\/[\w~-][\w.~-]*)+\/?$/;

/** A server with the limits that every client meets; it listens nowhere yet. */
export function openServer(options: FrontDoorOptions): Server {
  settleShapes();
  const server = createServer({
    joinDuplicateHeaders: true,
    // The front door says so in our own words.
    requireHostHeader: false,
    headersTimeout: 8_000,
    requestTimeout: 10_000,
    connectionsCheckingInterval: 500,
    // Longer than the idle time of the usual proxies, so that none reuses a connection just as it closes.
    keepAliveTimeout: 75_000,
  });
  // Node drops headers beyond that without a word: all are to be seen, and too many refused.
  server.maxHeadersCount = 0;
  watchConnections(server, options.mostConnections ?? Number.POSITIVE_INFINITY, {
    isBehindProxy: options.isBehindProxy ?? true,
  });
  const listener = frontDoor(options, behindArrivals(server));
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, listener);
  return server.on("clientError", answerClientError).on("connect", refuseConnect);
}

/** The listener for every request: answers its routes itself, refuses what is malformed, hands on the rest. */
function frontDoor(options: FrontDoorOptions, inTurn: (work: () => void) => void): RequestListener {
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
      readBody: () => readBody(req, res),
      address: () => addressOf(req),
    };
    const connection = beginRequest(req.socket);
    const trace = tracing()?.begin(call.method, maskPath(call.path), req.headers);
    logWhenDone({ call, res, trace, route: route?.path, connection });
    if (isDraining()) res.shouldKeepAlive = false;
    inTurn(() => {
      // It was given up while it waited, of which whatever works on it would not hear any more; the log has it.
      if (req.destroyed) return;
      const work = () => answerVisit(options, route, { call, req, res });
      void (trace ? trace.within(work) : work());
    });
  };
}

async function answerVisit(
  { rest, isForRest = () => false, mostHeaders = MOST_HEADERS }: FrontDoorOptions,
  route: FoundRoute | undefined,
  exchange: Exchange,
) {
  const { call, req, res } = exchange;
  const isApi = route !== undefined || PLAIN_API_PATH.test(call.path);
  try {
    if (req.rawHeaders.length > 2 * mostHeaders) throw tooManyHeaders(mostHeaders);
    refuse(req, call, isApi, route);
    if (!route || isForRest(req)) return await rest({ isApi, ...exchange });
    send(exchange, await answerRoute(route, call));
  } catch (error) {
    const answer = answerError(error, call.requestId);
    if (res.headersSent) res.destroy();
    else send(exchange, answer);
  }
}

function answerRoute({ methods }: FoundRoute, call: Call): Answer | Promise<Answer> {
  const endpoint = methods[call.method];
  if (endpoint) return endpoint.answer(call);
  const allowed = allowedMethods(methods);
  if (call.method === "OPTIONS") return { status: 204, headers: { Allow: allowed.join(", ") }, body: "" };
  return answerError(methodNotAllowed(allowed), call.requestId);
}

/** @throws {AppError} when the request is malformed, or must not be taken for one of ours */
function refuse(
  { httpVersion, headers }: IncomingMessage,
  { path, method }: Call,
  isApi: boolean,
  route: FoundRoute | undefined,
) {
  // HTTP/1.0, which load balancers still speak for their health checks, has none.
  const isOneHost = headers.host === undefined ? httpVersion === "1.0" : !headers.host.includes(",");
  if (!isOneHost) throw badRequest("The request must have exactly one Host header.");
  if (!path.startsWith("/")) throw badRequest("The request's target must be a path.");
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") throw unknownCoding();
  if (route) return;
  if (!isApi && isDisguisedApi(path)) throw notFound();
  if (!METHODS.includes(method) || (isApi && method === "HEAD")) {
    throw methodNotAllowed(METHODS.filter((one) => one !== "HEAD" || !isApi));
  }
}

/** Whether a path that is not spelt as ours would be taken for one of ours by something that decodes or folds it. */
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

function tooManyHeaders(most: number): AppError {
  return new AppError("headers_too_large", `The request has more than ${most} headers.`);
}

/** Sends an answer; what is left of the request's body is read and dropped for a while before the connection closes. */
function send({ call, req, res }: Exchange, answer: Answer) {
  const headers = apiHeaders(answer, call.requestId);
  const { status, body } = answer;
  if (typeof body !== "string") {
    sendStream({ call, req, res }, { status, headers, body });
    return;
  }
  if (status !== 204) headers["Content-Length"] = String(Buffer.byteLength(body));
  if (isTakenIn(req) || res.destroyed) {
    res.writeHead(status, headers).end(body);
    return;
  }
  headers.Connection = "close";
  res.writeHead(status, headers);
  if (req.method === "HEAD" || body === "") res.flushHeaders();
  else res.write(body);
  endLater(req, res);
}

/** Ends an answer that came before its request was whole, once the rest has been read, or for a while. */
function endLater(req: IncomingMessage, res: ServerResponse) {
  const timer = setTimeout(() => res.end(), LINGER_MS);
  req.resume().once("close", () => {
    clearTimeout(timer);
    res.end();
  });
}
