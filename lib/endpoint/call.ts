import type { IncomingHttpHeaders } from "node:http";
import { isDatabaseAway } from "@/lib/db/failures";
import { AppError, unavailable } from "@/lib/errors";
import { writeJson } from "@/lib/json/raw-json";
import { log } from "@/lib/telemetry/log";

/** A request, as the front door received it. */
export interface Call {
  requestId: string;
  method: string;
  /** without the query */
  path: string;
  /** the part after the question mark; undefined without one */
  query: string | undefined;
  /** the values of the route's bracketed names */
  parameters: Record<string, string>;
  /** lower-case names; repeated headers are joined with ", " */
  headers: IncomingHttpHeaders;
  /**
   * The body; empty when there is none.
   * @throws {AppError} `body_too_large`, `body_missing` or `request_timeout`
   */
  readBody(): Promise<Uint8Array>;
  /**
   * The client's address, as reported by our own proxies.
   * @throws {AppError} `bad_request` when they do not report it
   */
  address(): string;
  /** Does something once the answer is sent, or its receiver is gone; undefined for the service's own calls. */
  onClose?(work: () => void): void;
  /** set for the log once known */
  environment?: string;
  /** another process of ours answers and logs it */
  isLoggedElsewhere?: boolean;
}

/** An answer. A body that is generated while it is sent comes in pieces; an error midway breaks the connection. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: string | AsyncGenerator<string>;
  /** a credential in the request was invalid, although the status is not 401: it counts against the address */
  isBadCredential?: boolean;
}

/** An answer with a complete body. */
export interface WholeAnswer extends Answer {
  body: string;
}

/** The largest request body in bytes, unless an endpoint takes more. */
export const MAX_BODY_BYTES = 262_144;

export function bodyTooLarge(most = MAX_BODY_BYTES): AppError {
  const limit = most < 1_048_576 ? `${most / 1024} KiB` : `${most / 1_048_576} MiB`;
  return new AppError("body_too_large", `The body exceeds ${limit}.`);
}

/** A successful answer: `success`, then these members. */
export function json(members: object, headers: Answer["headers"] = {}): WholeAnswer {
  return { status: 200, headers, body: `${writeJson({ success: 1, ...members })}\n` };
}

/** The answer to a successful call without a result. */
export function done(_nothing: unknown): WholeAnswer {
  return json({});
}

/** Headers of every API answer. */
export function apiHeaders({ headers }: Pick<Answer, "headers">, requestId: string): Answer["headers"] {
  return {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": requestId,
    ...headers,
  };
}

/** How a failure is written: as JSON, or as a page. */
type WriteError = (error: AppError, requestId: string) => Pick<WholeAnswer, "headers" | "body">;

/** The answer to a failure: the text of an {@link AppError}, or for other errors only the request id. */
export function answerError(error: unknown, requestId: string, write: WriteError = writeError): WholeAnswer {
  const known = asAppError(error);
  if (known.code === "internal") log().error({ id: requestId, err: error }, "request failed");
  else if (known.code === "unavailable") log().warn({ id: requestId, reason: reasonOf(known) }, "unavailable");
  return { status: known.status, ...write(known, requestId), isBadCredential: known.isBadCredential };
}

function writeError({ code, message, issues, headers }: AppError, requestId: string): ReturnType<WriteError> {
  const body = `${writeJson({ success: 0, error: { code, message, request_id: requestId, issues } })}\n`;
  return { headers, body };
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseAway(error)) return unavailable(error);
  return new AppError("internal", "Internal error. Report it with the request ID.");
}

/** No stack: these come in thousands while the database is unavailable. */
function reasonOf({ cause }: AppError): unknown {
  return cause instanceof Error ? cause.message : cause;
}
