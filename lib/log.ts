import pino from "pino";
import { env } from "@/lib/env";
import { processWide } from "@/lib/process-wide";

const destination = () =>
  processWide("log destination", () => pino.destination({ dest: 1, sync: false, minLength: 4096 }));

/** The log: one JSON object a line on stdout, written in blocks so that a line costs a request next to nothing. */
export function log(): pino.Logger {
  return processWide("log", () => {
    const logger = pino(
      { level: env().LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err } },
      destination(),
    );
    setInterval(() => destination().flush(), 500).unref();
    // A log that cannot be written is no reason to fail a request.
    destination().on("error", () => undefined);
    return logger;
  });
}

/** Writes out what the log still holds, before the process ends. */
export function flushLog() {
  destination().flushSync();
}

/** Of an error what is ours to tell: PostgreSQL's `detail` quotes rows, and a driver's error may hold a query's values. */
function err(error: unknown) {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? error.code : undefined;
  return { type: error.name, message: error.message, code, stack: error.stack };
}
