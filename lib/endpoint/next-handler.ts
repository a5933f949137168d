import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { clientAddress } from "@/lib/auth/client-address";
import { env } from "@/lib/config/env";
import { type Answer, answerError, apiHeaders, bodyTooLarge, type Call, MAX_BODY_BYTES } from "@/lib/endpoint/call";
import { methodNotAllowed } from "@/lib/endpoint/routes";

/** A route handler in Next's form. */
export type NextHandler = (request: Request, context: NextContext) => Promise<Response>;

interface NextContext {
  /** undefined for a route without path parameters */
  params: Promise<Record<string, string | string[]> | undefined>;
}

interface Options {
  /** the largest body, in bytes */
  maxBody: number | undefined;
  /** whether HEAD may run it */
  hasHead: boolean;
}

/** Adapts a handler of a {@link Call} to Next, for when Next serves the routes alone, without our front door. */
export function nextHandler(answer: (call: Call) => Promise<Answer>, { maxBody, hasHead }: Options): NextHandler {
  return async (request, { params }) => {
    const call = callOf(request, (await params) ?? {}, maxBody ?? MAX_BODY_BYTES);
    // Next runs GET for HEAD.
    const isRefused = request.method === "HEAD" && !hasHead;
    const answered = isRefused ? answerError(methodNotAllowed(["GET", "OPTIONS"]), call.requestId) : await answer(call);
    const { status, body } = answered;
    const headers = new Headers();
    for (const [name, values] of Object.entries(apiHeaders(answered, call.requestId))) {
      for (const value of [values].flat()) headers.append(name, value);
    }
    if (request.method === "HEAD" || status === 204) return new Response(null, { status, headers });
    return new Response(typeof body === "string" ? body : streamOf(body), { status, headers });
  };
}

function callOf(request: Request, params: Record<string, string | string[]>, maxBody: number): Call {
  const { pathname, search } = new URL(request.url);
  const headers = Object.fromEntries(request.headers);
  return {
    requestId: randomUUID(),
    method: request.method === "HEAD" ? "GET" : request.method,
    path: pathname,
    query: search === "" ? undefined : search.slice(1),
    parameters: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, [value].flat().join("/")])),
    headers,
    readBody: () => readBody(request, maxBody),
    // Next hides the socket's address: instrumentation.ts refuses to start without TRUSTED_PROXIES.
    address: () => clientAddress({ headers, socket: {} }, env().TRUSTED_PROXIES),
    onClose: (work) => (request.signal.aborted ? work() : request.signal.addEventListener("abort", work)),
  };
}

async function readBody({ headers, body }: Request, most: number): Promise<Uint8Array> {
  if (Number(headers.get("content-length") ?? 0) > most) throw bodyTooLarge(most);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > most) throw bodyTooLarge(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Streams the pieces: each is generated once the previous one has been sent. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream {
  return Readable.toWeb(Readable.from(pieces, { objectMode: false })) as ReadableStream;
}
