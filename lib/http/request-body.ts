import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { bodyTooLarge, MAX_BODY_BYTES } from "@/lib/endpoint/call";
import { bodyMissing } from "@/lib/endpoint/input";
import { AppError, unavailable } from "@/lib/errors";

/** How long to wait for the first byte of an announced body, and for the last, in milliseconds. */
const FIRST_BYTE_MS = 5_000;
const LAST_BYTE_MS = 8_000;

const NOTHING = new Uint8Array();

/** On a connection: the reader of its current body, which handles errors. */
const READER = Symbol("reader");
type Connection = Duplex & { [READER]?: ((error: AppError) => void) | undefined };

/** On a request: its body was read completely; the parser reports this a little later. */
const IS_READ = Symbol("is read");
type Request = IncomingMessage & { [IS_READ]?: boolean };

/**
 * The body of a request, of at most `most` bytes.
 * @throws {AppError} `body_too_large`, or `request_timeout` when it does not arrive completely in time
 */
export async function readBody(req: IncomingMessage, res: ServerResponse, most = MAX_BODY_BYTES): Promise<Uint8Array> {
  const declared = Number(req.headers["content-length"] ?? 0);
  if (declared > most) throw bodyTooLarge(most);
  if (declared === 0 && req.headers["transfer-encoding"] === undefined) return NOTHING;
  askForBody(req, res);
  // A body that arrived with its headers is available before anything awaited continues.
  await undefined;
  if (declared === 0 || req.readableLength !== declared) return readPieces(req, most);
  (req as Request)[IS_READ] = true;
  return req.read();
}

/** Bytes of bodies still arriving that all connections together may hold: strangers can send slowly too. */
const MAX_HELD = 128 * 1024 * 1024;
let held = 0;

/** Reads a body that is still arriving. */
function readPieces(req: IncomingMessage, most: number): Promise<Uint8Array> {
  const socket: Connection = req.socket;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (error: AppError | undefined) => {
      clearTimeout(timer);
      socket[READER] = undefined;
      req.off("data", onData);
      held -= length;
      length = 0;
      if (error) reject(error);
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const giveUp = (error: AppError) => {
      // Bytes may have arrived without having been emitted yet.
      const nothingCame = length === 0 && req.readableLength === 0 && error.code === "request_timeout";
      end(nothingCame ? bodyMissing({ method: req.method ?? "" }) : error);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      held += chunk.length;
      if (length > most) end(bodyTooLarge(most));
      else if (held > MAX_HELD)
        end(unavailable("bodies take too much memory", "Too many large requests are arriving."));
      else chunks.push(chunk);
    };
    let timer = setTimeout(() => {
      if (length === 0) giveUp(incomplete());
      else timer = setTimeout(() => giveUp(incomplete()), LAST_BYTE_MS - FIRST_BYTE_MS);
    }, FIRST_BYTE_MS);
    socket[READER] = giveUp;
    req.on("data", onData);
    req.on("end", () => end(undefined));
    req.on("error", () => giveUp(incomplete()));
  });
}

/** Sends 100 Continue to a client that waits for it before its body (RFC 9110, 10.1.1). */
function askForBody({ headers }: IncomingMessage, res: ServerResponse) {
  if (headers.expect?.toLowerCase() === "100-continue") res.writeContinue();
}

/** Whether a request was read completely, so that its connection can carry the next. */
export function isFullyRead(req: IncomingMessage): boolean {
  return req.complete || (req as Request)[IS_READ] === true;
}

/** The reader of a body on this connection, to be notified of an error. */
export function readerOn(socket: Duplex): ((error: AppError) => void) | undefined {
  return (socket as Connection)[READER];
}

/** The error for a request that did not arrive completely. */
export function incomplete(): AppError {
  return new AppError("request_timeout", "Incomplete request: it took too long, or ended early.");
}
