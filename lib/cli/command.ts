import { constants, userInfo } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { operator } from "@/lib/authority/authority";
import { isDatabaseAway } from "@/lib/db/failures";
import { AppError, StartError } from "@/lib/errors";
import { openDatabase } from "@/lib/process/open-database";
import { flushLog, logToStderr } from "@/lib/telemetry/log";

/** The history's author of changes from the command line. */
export const OPERATOR = operator(`command line: ${userName()}`);

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return `uid ${process.getuid?.()}`;
  }
}

/** Resolves a path that the caller gave: the launcher (tools/run.mjs) has left the caller's folder. */
export function callersPath(file: string): string {
  return path.resolve(process.env.INIT_CWD ?? "", file);
}

/** Generous: no client is waiting, and on a busy machine Prisma alone takes long to load. */
const WAITS = { connect: 10_000, query: 10_000 };

interface Command {
  usage: string;
  /** parses the arguments before anything is opened; its result runs on the open database and returns the output */
  parse(): () => Promise<string | Ending>;
  /** needs neither a database nor a configuration */
  isApart?: boolean;
}

/** Final output and exit code. */
export interface Ending {
  text: string;
  code: number;
}

/** The `parse` of a command that takes no arguments. */
export function withoutArguments(work: ReturnType<Command["parse"]>): Command["parse"] {
  return () => {
    parseArgs({ options: {} });
    return work;
  };
}

/** A signal has ended the command. */
class Interrupted extends Error {
  constructor(readonly code: number) {
    super("interrupted");
  }
}

/** Runs a command on the configured database, with or without a running service, and exits. */
export async function runCommand(command: Command) {
  // A reader of progress that has ended must not end the work.
  process.stderr.on("error", () => undefined);
  logToStderr();
  const code = await run(command).catch((error: unknown) => {
    if (error instanceof Interrupted) return error.code;
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  });
  flushLog();
  process.exit(code);
}

async function run({ usage, parse, isApart = false }: Command): Promise<number> {
  if (process.argv.includes("--help")) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (isApart) return print(await readArguments(parse)());
  const { signal, interrupted } = listenForSignals();
  const work = readArguments(parse);
  const opening = openDatabase({ waits: WAITS, signal });
  try {
    const { location } = await Promise.race([opening, interrupted]);
    // A shell with another configuration than the service silently works on another database.
    if (process.stderr.isTTY) process.stderr.write(`Database: ${location}\n`);
    return await Promise.race([work().then(print), interrupted]);
  } finally {
    // Also if it was still opening: the embedded server must not outlive its only command.
    await opening.then(
      (database) => database.close(),
      () => undefined,
    );
  }
}

/** The first signal rejects `interrupted`, unless the command handles it itself; a second one ends the process. */
export function listenForSignals() {
  const stopping = new AbortController();
  const interrupted = new Promise<never>((_resolve, reject) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      const end = () => {
        if (process.listenerCount(name) > 1) return;
        process.off(name, end);
        reject(new Interrupted(128 + constants.signals[name]));
        stopping.abort();
      };
      process.on(name, end);
    }
  });
  interrupted.catch(() => undefined);
  return { signal: stopping.signal, interrupted };
}

async function print(ending: string | Ending): Promise<number> {
  const { text, code } = typeof ending === "string" ? { text: ending, code: 0 } : ending;
  await writeOut(text);
  return code;
}

/** Writes to stdout, and waits until it is written. */
export function writeOut(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once("error", reject).write(text, (error) => {
      // A failed write emits an error too.
      if (error) return reject(error);
      process.stdout.off("error", reject);
      resolve();
    });
  });
}

function readArguments(parse: Command["parse"]): ReturnType<Command["parse"]> {
  try {
    return parse();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // parseArgs breaks lines, and explains at length how to pass values that look like options.
    const [what = ""] = reason.replaceAll("\n", " ").split(" To specify ");
    throw new StartError(`${what.replace(/(?<![.?])$/, ".")} --help shows the usage.`);
  }
}

const OF_CONNECTIONS: unknown[] = ["connect", "getaddrinfo", "read"];

/** For people: the driver's cause says more than our answer to a program. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof StartError) return error.message;
  const denied = [error, error.cause].find(isDenied);
  if (denied) {
    return (
      `The role of DATABASE_URL lacks a privilege: ${denied.message}. ` +
      'Run "./user-groups migrate" with DATABASE_OWNER_URL to grant it.'
    );
  }
  if (error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  if (error instanceof AppError) return error.message;
  if (!("syscall" in error)) {
    return isDatabaseAway(error) ? `Cannot use the database: ${error.message}.` : (error.stack ?? error.message);
  }
  // Other system errors concern a file, or the reader of the output.
  return OF_CONNECTIONS.includes(error.syscall) ? `Cannot reach the database: ${error.message}` : `${error.message}.`;
}

/** Whether PostgreSQL reported a missing privilege. */
function isDenied(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "42501";
}

/** Parses a URL that the caller gave; the error calls it `what`. */
export function httpUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new StartError(`Give ${what} in full, such as https://groups.example.com or http://localhost:3000`);
  }
  if (url.username || url.password) throw new StartError("Leave the user name and password out of the URL.");
  return url;
}

/** Parses an API token that the caller gave. */
export function parseApiToken(text: string): string {
  const token = text.trim();
  if (/^[\x21-\x7e]*$/.test(token)) return token;
  throw new StartError("The token contains invalid characters. Give it alone, on one line.");
}

/** The service's URL and the API token, for a command that calls the API as any program does. */
export function readCallSettings(): { service: URL; apiToken: string } {
  const { USER_GROUPS_URL = "", USER_GROUPS_API_TOKEN = "" } = process.env;
  const service = httpUrl(USER_GROUPS_URL, "USER_GROUPS_URL");
  const apiToken = parseApiToken(USER_GROUPS_API_TOKEN);
  if (apiToken === "") throw new StartError("USER_GROUPS_API_TOKEN is not set.");
  return { service, apiToken };
}

/** Rows of text in aligned columns, for a terminal; the first row is the header. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return `${rows.map((row) => line(row).trimEnd()).join("\n")}\n`;
}
