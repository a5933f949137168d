import pino from "pino";
import { env } from "@/lib/env";
import { processWide } from "@/lib/process-wide";

/** Characters that are written at once. */
const BLOCK = 4_096;
const FLUSH_MS = 500;

/** Where lines gather: sonic-boom measures all that it holds anew with each line, so it is given whole blocks. */
const output = () =>
  processWide("log output", () => {
    const file = pino.destination({ dest: 1, sync: false });
    // A log that cannot be written is no reason to fail a request.
    file.on("error", () => undefined);
    let block = "";
    const flush = () => {
      if (block !== "") file.write(block);
      block = "";
    };
    setInterval(flush, FLUSH_MS).unref();
    const write = (line: string) => {
      block += line;
      if (block.length >= BLOCK) flush();
    };
    return { write, flush, file };
  });

/** The log: one JSON object a line on stdout, written in blocks so that a line costs a request next to nothing. */
export function log(): pino.Logger {
  return processWide("log", () =>
    pino(
      { level: env().LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err } },
      output(),
    ),
  );
}

/** Writes out what the log still holds, before the process ends. */
export function flushLog() {
  output().flush();
  output().file.flushSync();
}

/** Of an error what is ours to tell: PostgreSQL's `detail` quotes rows, and a driver's error may hold a query's values. */
function err(error: unknown) {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? error.code : undefined;
  return { type: error.name, message: error.message, code, stack: error.stack };
}
