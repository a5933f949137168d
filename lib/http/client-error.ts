import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { answerError } from "@/lib/endpoint/answer";
import { apiHeaders } from "@/lib/endpoint/call";
import { METHODS, methodNotAllowed } from "@/lib/endpoint/methods";
import { AppError } from "@/lib/errors";
import { incomplete, readerOn } from "@/lib/http/request-body";
import { log } from "@/lib/telemetry/log";

/** How long what a client still sends after a refusal is read and dropped, so that a reset does not cost it the answer, in milliseconds. */
export const LINGER_MS = 1_000;

/**
 * Answers what Node's parser could not make a request of; listens to `clientError`.
 * Node has no response for these, so the bytes are written here.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex) {
  const refusal = clientError(error);
  const reader = readerOn(socket);
  if (reader) return reader(refusal);
  if (socket.writableEnded) return;
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy();
  answerRaw(socket, refusal);
}

/** Refuses CONNECT, which Node does not treat as a request: nobody gets a tunnel through here. */
export function refuseConnect(_req: IncomingMessage, socket: Duplex) {
  // Node has given the socket away, its error listener included.
  socket.on("error", () => socket.destroy()).resume();
  answerRaw(socket, methodNotAllowed(METHODS));
}

function clientError({ code, reason = "" }: NodeJS.ErrnoException & { reason?: string }): AppError {
  if (code === "HPE_HEADER_OVERFLOW") return new AppError("headers_too_large", "The headers have more than 16 KiB.");
  if (code === "HPE_INVALID_METHOD") return methodNotAllowed(METHODS);
  // With a Content-Length as well, where the body ends is unclear, whatever its coding.
  if (code === "HPE_INVALID_TRANSFER_ENCODING" && !reason.includes("Content-Length")) return unknownCoding();
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" || code === "HPE_INVALID_EOF_STATE") return incomplete();
  return badRequest("This is not an HTTP/1.1 request that can be read.");
}

/** Answers where Node has no response to write to, and closes the connection. */
function answerRaw(socket: Duplex, refusal: AppError) {
  const requestId = randomUUID();
  const answer = answerError(refusal, requestId);
  log().info({ id: requestId, status: answer.status, reason: refusal.code }, "request refused");
  const headers = {
    ...apiHeaders(answer, requestId),
    "Content-Length": String(Buffer.byteLength(answer.body)),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${answer.status} ${answer.status}\r\n${lines.join("\r\n")}\r\n\r\n${answer.body}`);
  setTimeout(() => socket.destroy(), LINGER_MS);
}

/** What follows cannot be told from the next request: the connection ends with this (RFC 9112, 6.1 and 6.3). */
export function unknownCoding(): AppError {
  return new AppError(
    "not_implemented",
    "Send the body with Content-Length, or with `Transfer-Encoding: chunked` alone.",
    {
      headers: { Connection: "close" },
    },
  );
}

export function badRequest(message: string): AppError {
  return new AppError("bad_request", message);
}
