import pino from "pino";
import { env } from "@/lib/env";
import { once } from "@/lib/once";

/** Characters that are written at once: a pipe keeps so much together when several processes write to it (PIPE_BUF). */
const BLOCK = 4_096;
const FLUSH_MS = 500;
/** Characters that are kept where they cannot be written, on a full disk say; what comes after these is lost. */
const MOST_KEPT = 1_048_576;

/**
 * Where lines gather: sonic-boom measures all that it holds anew with each line, so it is given whole blocks. Each is written before
 * anything else goes on: what a turn of the loop writes by itself is one block, and under load a turn answers for more than one.
 */
const output = once(() => {
  const file = pino.destination({ dest: 1, sync: true, maxLength: MOST_KEPT });
  // A log that cannot be written is no reason to fail a request.
  file.on("error", () => undefined);
  let block = "";
  const flush = () => {
    if (block !== "") file.write(block);
    block = "";
  };
  setInterval(flush, FLUSH_MS).unref();
  const write = (line: string) => {
    if (block.length + line.length > BLOCK) flush();
    block += line;
  };
  return { write, flush, file };
});

/** The log: one JSON object a line on stdout, written in blocks so that a line costs a request next to nothing. */
export const log = once(
  (): pino.Logger => pino({ level: env().LOG_LEVEL, base: null, timestamp, serializers: { err } }, output()),
);

let lastTime = 0;
let lastTimestamp = "";

/** The time as pino writes it into a line; within one millisecond it is written once. */
function timestamp(): string {
  const now = Date.now();
  if (now !== lastTime) {
    lastTime = now;
    lastTimestamp = `,"time":"${new Date(now).toISOString()}"`;
  }
  return lastTimestamp;
}

/** Writes out what the log still holds, before the process ends. */
export function flushLog() {
  output().flush();
  output().file.flushSync();
}

/** Says something to the person at the terminal, apart from the log: it may hold a token. */
export function tell(text: string) {
  process.stderr.write(`${text}\n`);
}

/** Of an error what is ours to tell: PostgreSQL's `detail` quotes rows, and a driver's error may hold a query's values. */
function err(error: unknown) {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? error.code : undefined;
  return { type: error.name, message: error.message, code, stack: error.stack };
}
