import { userInfo } from "node:os";
import type { Author } from "@/lib/db/authority";
import { AppError, StartError } from "@/lib/errors";
import { openDatabase } from "@/lib/process/open-database";

/** Who changes something from the command line, as the history records it. */
export const OPERATOR: Author = {
  actorType: "operator",
  actorId: null,
  actorName: `command line: ${userName()}`,
  requestId: null,
  sessionId: null,
};

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may be a mere number.
    return `uid ${process.getuid?.()}`;
  }
}

/** Nobody was promised an answer in time, and on a busy machine Prisma alone takes long to load. */
const WAITS = { connect: 10_000, query: 10_000 };

interface Command {
  usage: string;
  /** reads the arguments before anything is opened; what it returns runs on the open database and gives what to print */
  parse(): () => Promise<string | Ending>;
  /** works without a database, and without a configuration */
  isApart?: boolean;
}

/** What is printed at the end, and what the shell is told. */
export interface Ending {
  text: string;
  code: number;
}

/** Runs a command on the database of the configuration, beside a running service or without one, and ends the process. */
export async function runCommand(command: Command) {
  const code = await run(command).catch((error: unknown) => {
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  });
  // Prisma's migration engine leaves a timer behind, which would keep the process for 10 s.
  process.exit(code);
}

async function run({ usage, parse, isApart = false }: Command): Promise<number> {
  if (process.argv.includes("--help")) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const work = readArguments(usage, parse);
  if (isApart) return print(await work());
  const database = await openDatabase({ waits: WAITS });
  // A shell with another configuration than the service's works on another database, without a word otherwise.
  if (process.stderr.isTTY) process.stderr.write(`Database: ${database.location}\n`);
  try {
    return await print(await work());
  } finally {
    await database.close();
  }
}

async function print(ending: string | Ending): Promise<number> {
  const { text, code } = typeof ending === "string" ? { text: ending, code: 0 } : ending;
  await new Promise((resolve) => process.stdout.write(text, resolve));
  return code;
}

function readArguments(usage: string, parse: Command["parse"]): ReturnType<Command["parse"]> {
  try {
    return parse();
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** A person reads this: a cause from the driver says more than our own answer to a program. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof StartError) return error.message;
  const denied = [error, error.cause].find(isDenied);
  if (denied) {
    return `The role of DATABASE_URL may not do this: ${denied.message}. Run "npm run migrate" with DATABASE_OWNER_URL: it grants what is needed.`;
  }
  if (error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  if (error instanceof AppError) return error.message;
  return "syscall" in error ? `The database cannot be reached: ${error.message}` : (error.stack ?? error.message);
}

/** Whether PostgreSQL refused something for want of a privilege. */
function isDenied(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "42501";
}
