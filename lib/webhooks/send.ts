import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import type { TLSSocket } from "node:tls";
import { AddressRefused, allowedAddresses, isAllowed, NotResolved, type Resolve } from "@/lib/webhooks/address";
import type { AttemptError } from "@/lib/webhooks/schema";

/** From the look-up of the name to the end of the answer's headers, in milliseconds. */
const DEADLINE_MS = 15_000;
/** How long the rest of an answer is read and discarded, in milliseconds, so that the connection can be used again. */
const BODY_MS = 1_000;
/** The most bytes read over a connection between two requests, so that no receiver can keep this process busy. */
const ANSWER_BYTES = 65_536;
/** The longest delay that a receiver can ask for, in milliseconds. */
const LONGEST_DELAY_MS = 86_400_000;

/** A request ran out of time. */
class TimedOut extends Error {}

/** An answer is longer than we read. */
class TooLarge extends Error {}

/** The outcome of a request. */
export interface Attempt {
  /** null without an answer */
  status: number | null;
  durationMs: number;
  /** null for a success */
  error: AttemptError | null;
  /** how long the receiver asked us to wait, in milliseconds */
  delayMs: number;
}

interface Message {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Keeps connections to one receiver between requests. Connects to allowed addresses only, checked when the name is
 * resolved and again when the connection is open, before a byte of the request is written.
 */
export class ReceiverAgent extends https.Agent {
  private readonly opening = new Set<TLSSocket>();
  /** how many bytes may still be read from each connection before its next request */
  private readonly left = new WeakMap<Duplex, number>();

  constructor(private readonly resolve?: Resolve) {
    super({ keepAlive: true, maxFreeSockets: 4 });
  }

  override createConnection(options: https.RequestOptions, done?: (error: Error | null, socket: Duplex) => void) {
    const socket = super.createConnection({ ...options, lookup: this.lookUp } as https.RequestOptions) as TLSSocket;
    const finish = (error?: Error) => {
      clearTimeout(timer);
      this.opening.delete(socket);
      if (error) socket.destroy();
      done?.(error ?? null, socket);
    };
    const timer = setTimeout(() => socket.destroy(new TimedOut()), DEADLINE_MS);
    this.opening.add(socket);
    socket.once("error", finish);
    socket.once("secureConnect", () => {
      socket.off("error", finish);
      this.limit(socket);
      finish(isAllowed(socket.remoteAddress ?? "") ? undefined : new AddressRefused());
    });
    return undefined;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest) {
    this.left.set(socket, ANSWER_BYTES);
    super.reuseSocket(socket, request);
  }

  private limit(socket: TLSSocket) {
    this.left.set(socket, ANSWER_BYTES);
    socket.on("data", ({ length }: Buffer) => {
      const left = (this.left.get(socket) ?? 0) - length;
      this.left.set(socket, left);
      if (left < 0) socket.destroy(new TooLarge());
    });
  }

  override destroy() {
    super.destroy();
    // Without an error, requests that wait for these connections would wait forever.
    for (const socket of this.opening) socket.destroy(new Error("the receiver's connections are closed"));
  }

  private readonly lookUp: LookupFunction = (name, options, done) => {
    allowedAddresses(name, this.resolve).then(
      (found) => {
        const [first] = found;
        if (options.all) done(null, found);
        else done(null, first?.address ?? "", first?.family);
      },
      (error: Error) => done(error, "", 0),
    );
  };
}

/**
 * Sends a message; a second time only if the receiver closed a kept connection meanwhile. Never follows a redirect, and
 * uses only the status and the Retry-After of the answer. Undefined when the signal aborted the request.
 */
export async function send(
  receiver: ReceiverAgent,
  message: Message,
  signal: AbortSignal,
): Promise<Attempt | undefined> {
  const start = performance.now();
  const outcome = await request(receiver, message, signal).then(
    ({ status, headers }) => ({ status, error: errorOf(status), delayMs: delayIn(status, headers) }),
    (error: unknown) => ({ status: null, error: kindOf(error), delayMs: 0 }),
  );
  if (signal.aborted && outcome.status === null) return undefined;
  return { durationMs: Math.round(performance.now() - start), ...outcome };
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
}

async function request(receiver: ReceiverAgent, message: Message, signal: AbortSignal): Promise<Answer> {
  const { hostname } = new URL(message.url);
  // Node does not call the look-up for a literal address.
  if (/^[\d.]+$|^\[/.test(hostname)) await allowedAddresses(hostname);
  try {
    return await requestOnce(receiver, message, signal);
  } catch (error) {
    if (!(error instanceof Stale) || signal.aborted) throw error;
    // The receiver closed a kept connection while we wrote to it.
    return requestOnce(receiver, message, signal);
  }
}

/** A kept connection was closed before its answer began. */
class Stale extends Error {}

function requestOnce(receiver: ReceiverAgent, { url, headers, body }: Message, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = https.request(url, {
      method: "POST",
      agent: receiver,
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      maxHeaderSize: 16_384,
      signal,
    });
    const timer = setTimeout(() => sent.destroy(new TimedOut()), DEADLINE_MS);
    let isAnswered = false;
    // Otherwise Node would close the connection silently.
    sent.on("upgrade", ({ statusCode: status = 0, headers }, socket) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ status, headers });
    });
    sent.on("error", (error) => {
      clearTimeout(timer);
      // The status has arrived; how the body ends does not matter.
      if (isAnswered) return;
      const isStale = sent.reusedSocket && "code" in error && error.code === "ECONNRESET";
      reject(isStale ? new Stale() : error);
    });
    sent.on("response", (answer) => {
      clearTimeout(timer);
      isAnswered = true;
      const { statusCode: status = 0, headers } = answer;
      void discard(answer).then(() => resolve({ status, headers }));
    });
    sent.end(body);
  });
}

/** Reads the body for a moment, and closes the connection if it takes longer. */
async function discard(answer: IncomingMessage) {
  const timer = setTimeout(() => answer.destroy(), BODY_MS);
  await finished(answer.resume()).catch(() => undefined);
  clearTimeout(timer);
}

function errorOf(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? "redirect" : "status";
}

/** The delay in milliseconds that a 429 or 503 asks for: in seconds, or as a date by the receiver's own clock. */
function delayIn(status: number, { "retry-after": retryAfter, date = "" }: IncomingHttpHeaders): number {
  if (retryAfter === undefined || (status !== 429 && status !== 503)) return 0;
  const isSeconds = /^\d{1,9}$/.test(retryAfter);
  const delay = isSeconds ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - (Date.parse(date) || Date.now());
  return Number.isNaN(delay) ? 0 : Math.min(Math.max(delay, 0), LONGEST_DELAY_MS);
}

const KINDS: [RegExp, AttemptError][] = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM|ETIMEDOUT)$/, "connect"],
  [/^HPE_HEADER_OVERFLOW$/, "too_large"],
  [/^(EPROTO$|ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA)/, "tls"],
];

function kindOf(error: unknown): AttemptError {
  if (error instanceof AddressRefused) return "address_refused";
  if (error instanceof NotResolved) return "dns";
  if (error instanceof TimedOut) return "timeout";
  if (error instanceof TooLarge) return "too_large";
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return KINDS.find(([pattern]) => pattern.test(code))?.[1] ?? "reset";
}
