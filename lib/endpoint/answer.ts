import { isDatabaseAway } from "@/lib/db/failures";
import type { Answer, WholeAnswer } from "@/lib/endpoint/call";
import { AppError, unavailable } from "@/lib/errors";
import { writeJson } from "@/lib/json/raw-json";
import { log } from "@/lib/telemetry/log";

/** The answer to what went well: `success`, then these members. */
export function json(members: object, headers: Answer["headers"] = {}): WholeAnswer {
  return { status: 200, headers, body: `${writeJson({ success: 1, ...members })}\n` };
}

interface Download {
  /** of ASCII letters, digits, dots and hyphens */
  name: string;
  type: string;
  /** holds nothing between two of them: a client that goes away leaves nothing open */
  pieces: AsyncGenerator<string>;
}

/**
 * A file that is made while it is sent. What is wrong from the start is an answer of our shape; what goes wrong later breaks the
 * connection, so that half a file is never taken for a whole one.
 */
export async function file({ name, type, pieces }: Download): Promise<Answer> {
  const first = await pieces.next();
  const headers = { "Content-Type": type, "Content-Disposition": `attachment; filename="${name}"` };
  return { status: 200, headers, body: goOn(first, pieces) };
}

async function* goOn(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** The answer to a failure: what an {@link AppError} says, and nothing at all of any other error but its request id. */
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
  return new AppError("internal", "Something went wrong on our side. Quote the request id when you report it.");
}

/** No stack: these come by the thousand when the database is away. */
function reasonOf({ cause }: AppError): unknown {
  return cause instanceof Error ? cause.message : cause;
}
