import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Answer } from "@/lib/endpoint/call";
import type { Exchange } from "@/lib/http/front-door";
import { log } from "@/lib/telemetry/log";

/** How long a receiver may take nothing, in milliseconds. */
const STALLED_MS = 60_000;

const GZIP = /\bgzip\b(?! *; *q=0(?:\.0+)?\b)/i;

/**
 * Generates each piece once the previous one has been sent, and compresses if accepted. A failure breaks the
 * connection, so that half a file never passes for a complete one.
 */
export function sendStream(
  { call, req, res }: Exchange,
  { status, headers, body }: Answer & { body: AsyncGenerator<string> },
) {
  const onEnd = (err: NodeJS.ErrnoException | null) => {
    if (err && err.code !== "ERR_STREAM_PREMATURE_CLOSE")
      log().warn({ id: call.requestId, err }, "a response was cut short");
  };
  res.setTimeout(STALLED_MS, () => res.destroy());
  const pieces = Readable.from(body, { objectMode: false });
  const varied = { ...headers, Vary: "Accept-Encoding" };
  if (GZIP.test(String(req.headers["accept-encoding"]))) {
    pipeline(pieces, createGzip(), res.writeHead(status, { ...varied, "Content-Encoding": "gzip" }), onEnd);
  } else pipeline(pieces, res.writeHead(status, varied), onEnd);
}
