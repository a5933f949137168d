import pino from "pino";
import { env } from "@/lib/config/env";
import { once } from "@/lib/config/per-process";
import { maskTokens } from "@/lib/telemetry/mask-tokens";

/** Bytes per write: a pipe keeps this much together when several processes write to it (PIPE_BUF). */
const BLOCK = 4_096;
const FLUSH_MS = 500;
/** The most blocks to hold while the log's reader is slow; further lines are dropped. */
const MAX_WAITING = 256;

const timestamp = pino.stdTimeFunctions.isoTime;

let place: "stdout" | "stderr" = "stdout";

/** Writes the log to stderr from the first line on, where stdout is for a command's output. */
export function logToStderr() {
  place = "stderr";
}

/** Collects lines into blocks, as each write has a cost. Node writes a block synchronously, unless a pipe is full. */
const output = once(() => {
  const { [place]: stream } = process;
  // An unwritable log must not fail requests.
  stream.on("error", () => undefined);
  const waiting: string[] = [];
  let isWriting = false;
  // One at a time: Node joins all writes that wait for a full pipe, and the pipe may split them.
  const next = () => {
    const first = waiting.shift();
    isWriting = first !== undefined;
    if (first !== undefined) stream.write(first, next);
  };
  let block = "";
  let size = 0;
  let lost = 0;
  const takeBlock = () => {
    const taken = block;
    block = "";
    size = 0;
    return taken;
  };
  const flush = () => {
    const full = takeBlock();
    if (waiting.length >= MAX_WAITING) lost += full.split("\n").length - 1;
    else if (full !== "") waiting.push(full);
    if (!isWriting) next();
  };
  const reportLost = () => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    log().warn({ lines }, "log lines were dropped: the reader is too slow");
  };
  const flushAll = () => {
    reportLost();
    for (const text of [...waiting.splice(0), takeBlock()]) stream.write(text);
  };
  const write = (line: string) => {
    const length = Buffer.byteLength(line);
    if (size + length > BLOCK) flush();
    block += line;
    size += length;
  };
  setInterval(() => {
    if (waiting.length < MAX_WAITING) reportLost();
    flush();
  }, FLUSH_MS).unref();
  return { write, flushAll };
});

/** The log: one JSON object per line, written in blocks, so that a line costs a request next to nothing. */
export const log = once(
  (): pino.Logger => pino({ level: env().LOG_LEVEL, base: null, timestamp, serializers: { err } }, output()),
);

/** Writes the remaining lines before the process ends; lines that a full pipe refuses then are lost. */
export function flushLog() {
  output().flushAll();
}

/** A reader that has ended must not end a service. */
const stderr = once(() => process.stderr.on("error", () => undefined));

/** Prints a message for the person at the terminal, separate from the log: it may contain a token. */
export function printNotice(text: string) {
  stderr().write(`${text}\n`);
}

/**
 * The loggable part of an error: PostgreSQL's `detail` quotes rows, and a driver's error may contain a query's values.
 */
function err(error: unknown) {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? error.code : undefined;
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : undefined;
  const masked = (text: string | undefined) => text && maskTokens(text);
  return { type: error.name, message: masked(error.message), code, reason: masked(reason), stack: masked(error.stack) };
}
