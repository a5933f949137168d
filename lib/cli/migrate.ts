import { asOwner } from "@/lib/cli/as-owner";
import { runCommand, withoutArguments } from "@/lib/cli/command";
import { StartError } from "@/lib/errors";
import { migrate } from "@/lib/migrations/migrate";
import { roleOf } from "@/lib/migrations/roles";
import type { MigrationFailure, MigrationReport } from "@/lib/process/open-database";

// Connects as the database owner, for an operator or as a child process of a starting service.
// The process exits after its work, so the owner's password does not stay in memory.

// A service runs it this way (lib/process/open-database.ts).
if (process.argv[2] === "child") await runAsChild();
else {
  await runCommand({
    usage: `Usage:  ./user-groups migrate
Applies pending migrations as the role of DATABASE_OWNER_URL, and grants the role of DATABASE_URL its privileges.
Safe to repeat. Exits with 1 on failure.`,
    isApart: true,
    parse: withoutArguments(async () => {
      const applied = await migrateDatabase();
      return applied.length === 0 ? "The database is up to date.\n" : `Applied: ${applied.join(", ")}.\n`;
    }),
  });
}

async function runAsChild() {
  // Ctrl-C is for the service. Once the service is gone, no one reads the report.
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

function failureOf(error: unknown): MigrationFailure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const { code, syscall } = error as NodeJS.ErrnoException;
  return { message, stack, isStartError: error instanceof StartError, code, syscall };
}
