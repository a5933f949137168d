import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { answerError, apiHeaders } from "@/lib/endpoint/call";
import { METHODS, methodNotAllowed } from "@/lib/endpoint/routes";
import { AppError } from "@/lib/errors";
import { hasWaiting } from "@/lib/http/connections";
import { incomplete, readerOn } from "@/lib/http/request-body";
import { log } from "@/lib/telemetry/log";

/** How long to drain a refused request, so that a reset does not cost the client its answer, in milliseconds. */
export const LINGER_MS = 1_000;

/**
 * Answers requests that Node's parser rejects, on `clientError`.
 * Node has no response object for these, so the bytes are written here.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex) {
  const refusal = clientError(error);
  const reader = readerOn(socket);
  if (reader) return reader(refusal);
  // The body of a request that waits is not read yet: its own time begins with its turn.
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && hasWaiting(socket)) return;
  if (socket.writableEnded) return;
  if (!socket.writable || error.code === "ECONNRESET") return socket.destroy();
  answerRaw(socket, refusal);
}

/** Refuses CONNECT, which Node does not treat as a request: this is not a tunnel. */
export function refuseConnect(_req: IncomingMessage, socket: Duplex) {
  // Node has detached the socket, with its error listener.
  socket.on("error", () => socket.destroy()).resume();
  answerRaw(socket, methodNotAllowed(METHODS));
}

function clientError({ code, reason = "" }: NodeJS.ErrnoException & { reason?: string }): AppError {
  if (code === "HPE_HEADER_OVERFLOW") return new AppError("headers_too_large", "The headers exceed 16 KiB.");
  if (code === "HPE_INVALID_METHOD") return methodNotAllowed(METHODS);
  // With a Content-Length too, the end of the body is ambiguous in any coding.
  if (code === "HPE_INVALID_TRANSFER_ENCODING" && !reason.includes("Content-Length")) return unknownCoding();
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" || code === "HPE_INVALID_EOF_STATE") return incomplete();
  return badRequest("Malformed HTTP/1.1 request.");
}

/** Writes an answer where Node has no response object, and closes the connection. */
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

/** The rest cannot be told from the next request, so the connection closes (RFC 9112, 6.1 and 6.3). */
export function unknownCoding(): AppError {
  const message = "Send the body with Content-Length, or with only `Transfer-Encoding: chunked`.";
  return new AppError("not_implemented", message, { headers: { Connection: "close" } });
}

export function badRequest(message: string): AppError {
  return new AppError("bad_request", message);
}
