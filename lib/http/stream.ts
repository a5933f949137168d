import { pipeline, Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import type { Answer } from "@/lib/endpoint/call";
import type { Exchange } from "@/lib/http/front-door";
import { log } from "@/lib/telemetry/log";

const GZIP = /\bgzip\b(?! *; *q=0(?:\.0+)?\b)/i;

/**
 * Generates each piece once the previous one has been sent, and compresses if accepted. A failure breaks the
 * connection, so that half a file never passes for a complete one. If few of many rows match, the stream can be silent
 * for minutes; connections.ts disconnects a receiver that stops reading.
 */
export function sendStream(
  { call, req, res }: Exchange,
  { status, headers, body }: Answer & { body: AsyncGenerator<string> },
) {
  const onEnd = (err: NodeJS.ErrnoException | null) => {
    if (err && err.code !== "ERR_STREAM_PREMATURE_CLOSE")
      log().warn({ id: call.requestId, err }, "a response was cut short");
  };
  const pieces = Readable.from(body, { objectMode: false });
  const isCompressed = GZIP.test(String(req.headers["accept-encoding"]));
  res.writeHead(status, { ...headers, Vary: "Accept-Encoding", ...(isCompressed && { "Content-Encoding": "gzip" }) });
  // Proxies wait less for headers than for the rest, and the first matching row may take long to find.
  res.flushHeaders();
  // Otherwise zlib keeps rows back until it has half a megabyte of them.
  if (isCompressed) pipeline(pieces, createGzip({ flush: constants.Z_SYNC_FLUSH }), res, onEnd);
  else pipeline(pieces, res, onEnd);
}
