import { isDatabaseAway } from "@/lib/db/failures";
import type { Answer, WholeAnswer } from "@/lib/endpoint/call";
import { AppError, unavailable } from "@/lib/errors";
import { writeJson } from "@/lib/json/raw-json";
import { log } from "@/lib/telemetry/log";

/** A successful answer: `success`, then these members. */
export function json(members: object, headers: Answer["headers"] = {}): WholeAnswer {
  return { status: 200, headers, body: `${writeJson({ success: 1, ...members })}\n` };
}

const FILE_TYPES = { csv: "text/csv; charset=utf-8; header=present", jsonl: "application/x-ndjson; charset=utf-8" };

interface Download {
  /** of ASCII letters, digits and hyphens */
  name: string;
  format: keyof typeof FILE_TYPES;
  /** holds nothing between two pieces: a client that disconnects leaves nothing open */
  pieces: AsyncGenerator<string>;
}

/**
 * A file that is generated while it is sent. An error at the start yields an ordinary answer; a later one breaks the
 * connection, so that half a file never passes for a complete one.
 */
export async function file({ name, format, pieces }: Download): Promise<Answer> {
  const first = await pieces.next();
  const headers = {
    "Content-Type": FILE_TYPES[format],
    "Content-Disposition": `attachment; filename="${name}.${format}"`,
  };
  return { status: 200, headers, body: goOn(first, pieces) };
}

async function* goOn(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** The answer to a failure: the text of an {@link AppError}, or for other errors only the request id. */
export function answerError(error: unknown, requestId: string): WholeAnswer {
  const known = asAppError(error);
  if (known.code === "internal") log().error({ id: requestId, err: error }, "request failed");
  else if (known.code === "unavailable") log().warn({ id: requestId, reason: reasonOf(known) }, "unavailable");
  const { code, message, issues, isBadCredential } = known;
  const body = `${writeJson({ success: 0, error: { code, message, request_id: requestId, issues } })}\n`;
  return { status: known.status, headers: known.headers, body, isBadCredential };
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
