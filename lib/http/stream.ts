import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import type { Answer } from "@/lib/endpoint/call";
import type { Exchange } from "@/lib/http/front-door";
import { log } from "@/lib/telemetry/log";

const GZIP = /\bgzip\b(?! *; *q=0(?:\.0+)?\b)/i;

/**
 * Makes each piece only when the one before is on its way, and compresses them where that is welcome. What fails breaks the
 * connection: half a file is never taken for a whole one.
 */
export function sendStream(
  { call, req, res }: Exchange,
  { status, headers, body }: Answer & { body: AsyncGenerator<string> },
) {
  const onEnd = (err: NodeJS.ErrnoException | null) => {
    if (err && err.code !== "ERR_STREAM_PREMATURE_CLOSE")
      log().warn({ id: call.requestId, err }, "an answer was cut short");
  };
  const pieces = Readable.from(body, { objectMode: false });
  const varied = { ...headers, Vary: "Accept-Encoding" };
  if (GZIP.test(String(req.headers["accept-encoding"]))) {
    pipeline(pieces, createGzip(), res.writeHead(status, { ...varied, "Content-Encoding": "gzip" }), onEnd);
  } else pipeline(pieces, res.writeHead(status, varied), onEnd);
}
