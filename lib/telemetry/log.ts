import pino from "pino";
import { env } from "@/lib/config/env";
import { once } from "@/lib/config/once";
import { maskTokens } from "@/lib/telemetry/mask-tokens";

/** Bytes that are written at once: a pipe keeps so much together when several processes write to it (PIPE_BUF). */
const BLOCK = 4_096;
const FLUSH_MS = 500;
/** Blocks that wait at most where a log is not read as fast as it is written; what comes on top is lost. */
const MOST_WAITING = 256;

/** Where lines gather to blocks, as each write has its price. Node writes a block before it goes on, unless a pipe is full. */
const output = once(() => {
  const { stdout } = process;
  // A log that cannot be written is no reason to fail a request.
  stdout.on("error", () => undefined);
  const waiting: string[] = [];
  let isWriting = false;
  // One at a time: all that waits for a full pipe Node sends as one, which the pipe may cut.
  const next = () => {
    const first = waiting.shift();
    isWriting = first !== undefined;
    if (first !== undefined) stdout.write(first, next);
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
    if (waiting.length >= MOST_WAITING) lost += full.split("\n").length - 1;
    else if (full !== "") waiting.push(full);
    if (!isWriting) next();
  };
  const tellOfLost = () => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    log().warn({ lines }, "lines of the log were lost, as it is not read as fast as it is written");
  };
  const flushAll = () => {
    tellOfLost();
    for (const rest of [...waiting.splice(0), takeBlock()]) stdout.write(rest);
  };
  const write = (line: string) => {
    const length = Buffer.byteLength(line);
    if (size + length > BLOCK) flush();
    block += line;
    size += length;
  };
  setInterval(() => {
    if (waiting.length < MOST_WAITING) tellOfLost();
    flush();
  }, FLUSH_MS).unref();
  return { write, flushAll };
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

/** Writes out what the log still holds, before the process ends; what a full pipe does not take then is lost. */
export function flushLog() {
  output().flushAll();
}

/** Says something to the person at the terminal, apart from the log: it may hold a token. */
export function tell(text: string) {
  process.stderr.write(`${text}\n`);
}

/** Of an error what is ours to tell: PostgreSQL's `detail` quotes rows, and a driver's error may hold a query's values. */
function err(error: unknown) {
  if (!(error instanceof Error)) return error;
  const code = "code" in error ? error.code : undefined;
  const { cause } = error;
  const reason = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : undefined;
  const masked = (text: string | undefined) => text && maskTokens(text);
  return { type: error.name, message: masked(error.message), code, reason: masked(reason), stack: masked(error.stack) };
}
