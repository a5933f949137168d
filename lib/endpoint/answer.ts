import { isDatabaseAway } from "@/lib/db/failures";
import type { Answer, WholeAnswer } from "@/lib/endpoint/call";
import { AppError, unavailable } from "@/lib/errors";
import { writeJson } from "@/lib/json/raw-json";
import { log } from "@/lib/telemetry/log";

/** A successful answer: `success`, then these members. */
export function json(members: object, headers: Answer["headers"] = {}): WholeAnswer {
  return { status: 200, headers, body: `${writeJson({ success: 1, ...members })}\n` };
}

/** The answer once something is done that has no result. */
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
