import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { bodyTooLarge, MAX_BODY_BYTES } from "@/lib/endpoint/call";
import { bodyMissing } from "@/lib/endpoint/input";
import { AppError } from "@/lib/errors";

/** How long a body that was announced may keep us waiting for its first byte, and for its last, in milliseconds. */
const FIRST_BYTE_MS = 5_000;
const LAST_BYTE_MS = 8_000;

const NOTHING = new Uint8Array();

/** On a connection, who waits for the rest of a body: an error on it is theirs to answer. */
const READER = Symbol("reader");
type Connection = Duplex & { [READER]?: ((error: AppError) => void) | undefined };

/** On a request, that its body was taken in whole: the parser says so somewhat later. */
const IS_READ = Symbol("is read");
type Request = IncomingMessage & { [IS_READ]?: boolean };

/**
 * The body of a request.
 * @throws {AppError} `payload_too_large`, or `request_timeout` when it does not arrive whole in time
 */
export async function readBody(req: IncomingMessage, res: ServerResponse): Promise<Uint8Array> {
  const declared = Number(req.headers["content-length"] ?? 0);
  if (declared > MAX_BODY_BYTES) throw bodyTooLarge();
  if (declared === 0 && req.headers["transfer-encoding"] === undefined) return NOTHING;
  askForBody(req, res);
  // A body that came in one piece with its headers is there before anything that was awaited goes on.
  await undefined;
  if (declared === 0 || req.readableLength !== declared) return readPieces(req);
  (req as Request)[IS_READ] = true;
  return req.read();
}

/** Reads a body that is still on its way. */
function readPieces(req: IncomingMessage): Promise<Uint8Array> {
  const socket: Connection = req.socket;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (error: AppError | undefined) => {
      clearTimeout(timer);
      socket[READER] = undefined;
      req.off("data", onData);
      if (error) reject(error);
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const giveUp = (error: AppError) => {
      const nothingCame = length === 0 && error.code === "request_timeout";
      end(nothingCame ? bodyMissing({ method: req.method ?? "" }) : error);
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) end(bodyTooLarge());
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

/** Tells a client that waits to hear so before it sends its body (RFC 9110, 10.1.1). */
function askForBody({ headers }: IncomingMessage, res: ServerResponse) {
  if (headers.expect?.toLowerCase() === "100-continue") res.writeContinue();
}

/** Whether the whole of a request has been taken in, so that its connection can carry the next. */
export function isTakenIn(req: IncomingMessage): boolean {
  return req.complete || (req as Request)[IS_READ] === true;
}

/** Whoever waits for the rest of a body on this connection, to be told what went wrong. */
export function readerOn(socket: Duplex): ((error: AppError) => void) | undefined {
  return (socket as Connection)[READER];
}

/** What came of a request whose rest did not come. */
export function incomplete(): AppError {
  return new AppError("request_timeout", "The request did not arrive whole: it took too long, or ended too early.");
}
