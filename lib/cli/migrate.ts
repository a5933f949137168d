import { dropOldMonths } from "@/lib/audit/retention";
import { asOwner } from "@/lib/cli/as-owner";
import { runCommand, withoutArguments } from "@/lib/cli/command";
import { env } from "@/lib/config/env";
import { StartError } from "@/lib/errors";
import { migrate } from "@/lib/migrations/migrate";
import { isBlocked } from "@/lib/migrations/patience";
import { roleOf } from "@/lib/migrations/roles";
import type { MigrationFailure, MigrationReport } from "@/lib/process/open-database";

// Connects as the database owner: for an operator, and as a child process of a starting
// service. It ends after its work, and the owner's password with it.

// A service runs it this way (lib/process/open-database.ts).
if (process.argv[2] === "child") await runAsChild();
else {
  await runCommand({
    usage: `Usage:  ./user-groups migrate
Applies pending migrations as the role of DATABASE_OWNER_URL, and grants the role of DATABASE_URL its privileges.
Then drops the months of the history that ended HISTORY_KEPT ago. Safe to repeat. Exits with 1 on failure.`,
    isApart: true,
    parse: withoutArguments(async () => {
      const applied = await migrateDatabase();
      const text = applied.length === 0 ? "The database is up to date.\n" : `Applied: ${applied.join(", ")}.\n`;
      return text + (await dropHistory());
    }),
  });
}

async function runAsChild() {
  // Ctrl-C is for the service; without it nobody reads the report.
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => process.exit(1));
  const report: MigrationReport = await migrateDatabase().then(
    (applied) => ({ applied }),
    (error: unknown) => ({ failure: failureOf(error) }),
  );
  process.send?.(report, undefined, undefined, () => process.exit(0));
}

/** Migrates the database of the configuration, or the embedded one, as its owner. */
function migrateDatabase(): Promise<string[]> {
  return asOwner(({ owner, runtime }) => {
    const role = roleOf(runtime);
    return migrate(owner, undefined, roleOf(owner).name === role.name ? undefined : role);
  });
}

/**
 * Drops old months of the history, and says so. What holds them does not hold up a release: it is done the next time.
 */
async function dropHistory(): Promise<string> {
  const months = env().HISTORY_KEPT;
  if (months === undefined) return "";
  const dropped = await asOwner(({ owner }) => dropOldMonths(owner, months)).catch((error: unknown) => {
    if (isBlocked(error)) return undefined;
    throw error;
  });
  if (!dropped)
    return "Old months of the history are in use and were not dropped: run ./user-groups prune-history later.\n";
  return dropped.length === 0 ? "" : `Dropped: ${dropped.join(", ")}.\n`;
}

function failureOf(error: unknown): MigrationFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const { code, syscall } = error as NodeJS.ErrnoException;
  return { message, stack, isStartError: error instanceof StartError, code, syscall };
}
