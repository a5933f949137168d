import { randomUUID } from "node:crypto";
import { AppError } from "@/lib/errors";
import { type Answer, type Call, MAX_BODY_BYTES, type StreamedAnswer } from "@/lib/http/call";
import { CLIENT_ADDRESS } from "@/lib/http/client-address";

/** Headers that every answer of the API has. */
export function apiHeaders(answer: Pick<Answer, "headers">, requestId: string): Record<string, string> {
  return {
    "Content-Type": "application/json; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Request-Id": requestId,
    ...answer.headers,
  };
}

/** Answers a Request of Next's. The front door has given it an id; Next drops the body of a GET. */
export async function answerRequest(
  request: Request,
  answer: (call: Call) => Promise<Answer | StreamedAnswer>,
): Promise<Response> {
  const url = new URL(request.url);
  const requestId = request.headers.get("x-request-id") ?? randomUUID();
  const result = await answer({
    requestId,
    method: request.method,
    path: url.pathname,
    query: url.search === "" ? undefined : url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    readBody: () => readBody(request),
    address: () => request.headers.get(CLIENT_ADDRESS) ?? "",
  });
  return new Response(result.body, { status: result.status, headers: apiHeaders(result, requestId) });
}

/**
 * The body of a Request of Next's; empty when there is none.
 * @throws {AppError} `body_too_large`
 */
export async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw bodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The refusal of a body over the limit. */
export function bodyTooLarge(): AppError {
  return new AppError("body_too_large", `The body has more than ${MAX_BODY_BYTES / 1024} KiB.`);
}
