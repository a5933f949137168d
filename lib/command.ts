import { userInfo } from "node:os";
import type { Author } from "@/lib/db/statements";
import { AppError, StartError } from "@/lib/errors";
import { openDatabase } from "@/lib/open";

/** Who changes something from the command line, as the history records it. */
export const OPERATOR: Author = {
  actorType: "operator",
  actorId: null,
  actorName: `command line: ${userName()}`,
  requestId: null,
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

/** What a command prints, and whether it was in vain. */
type Outcome = string | { text: string; failed: boolean };

interface Command {
  usage: string;
  /** reads the arguments before anything is opened; what it returns runs on the open database and gives what to print */
  parse(): () => Promise<Outcome>;
  /** works without a database, and without a configuration */
  isApart?: boolean;
}

/** Runs a command on the database of the configuration, beside a running service or without one, and ends the process. */
export async function runCommand(command: Command) {
  const code = await run(command).then(
    (failed) => (failed ? 1 : 0),
    (error: unknown) => {
      process.stderr.write(`${explain(error)}\n`);
      return 1;
    },
  );
  // Prisma's migration engine leaves a timer behind, which would keep the process for 10 s.
  process.exit(code);
}

/** Runs it and prints; whether it was in vain. */
async function run({ usage, parse, isApart = false }: Command): Promise<boolean> {
  if (process.argv.includes("--help")) {
    process.stdout.write(`${usage}\n`);
    return false;
  }
  const work = readArguments(usage, parse);
  if (isApart) return print(await work());
  const database = await openDatabase(WAITS);
  // A shell with another configuration than the service's works on another database, without a word otherwise.
  if (process.stderr.isTTY) process.stderr.write(`Database: ${database.location}\n`);
  try {
    return await print(await work());
  } finally {
    await database.close();
  }
}

async function print(outcome: Outcome): Promise<boolean> {
  const { text, failed } = typeof outcome === "string" ? { text: outcome, failed: false } : outcome;
  await new Promise((resolve) => process.stdout.write(text, resolve));
  return failed;
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
  if (error.cause instanceof Error) return `${error.message} (${error.cause.message})`;
  if (error instanceof AppError) return error.message;
  return "syscall" in error ? `The database cannot be reached: ${error.message}` : (error.stack ?? error.message);
}
