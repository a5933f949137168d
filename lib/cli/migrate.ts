import { DatabaseError } from "pg";
import { runCommand } from "@/lib/cli/command";
import { env, ownerUrl } from "@/lib/config/env";
import { attachEmbedded, superuserUrl } from "@/lib/db/embedded";
import { migrate } from "@/lib/db/migrate";
import { roleOf } from "@/lib/db/roles";
import { StartError } from "@/lib/errors";
import type { Failure, MigrationReport } from "@/lib/process/open-database";

// The only program that connects as the database owner: for an operator, and as a child process of a starting
// service. It ends after its work, and the owner's password with it.

// A service runs it this way (lib/process/open-database.ts).
if (process.argv[2] === "child") await runAsChild();
else {
  await runCommand({
    usage: `Usage:  npm run migrate
Applies pending migrations as the role of DATABASE_OWNER_URL, and grants the role of DATABASE_URL its privileges.
Safe to repeat. Exits with 1 on failure.`,
    isApart: true,
    parse: () => async () => {
      const applied = await migrateDatabase();
      return applied.length === 0 ? "The database is up to date.\n" : `Applied: ${applied.join(", ")}.\n`;
    },
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
async function migrateDatabase(): Promise<string[]> {
  const { DATABASE_URL, DATA_DIR, BACKUP_DIR } = env();
  if (DATABASE_URL) {
    const owner = ownerUrl() ?? DATABASE_URL;
    const runtime = roleOf(DATABASE_URL);
    return migrate(owner, undefined, roleOf(owner).name === runtime.name ? undefined : runtime).catch(refuse);
  }
  const embedded = await attachEmbedded(DATA_DIR, { backupDir: BACKUP_DIR });
  try {
    return await migrate(await superuserUrl(DATA_DIR, embedded.url), undefined, roleOf(embedded.url));
  } finally {
    await embedded.release();
  }
}

/** A missing login or privilege is a configuration error. */
function refuse(error: unknown): never {
  if (!(error instanceof DatabaseError) || !/^(28|3D|42501)/.test(error.code ?? "")) throw error;
  const which = env().DATABASE_OWNER_URL ? "DATABASE_OWNER_URL" : "DATABASE_URL";
  throw new StartError(`The role of ${which} cannot migrate the database: ${error.message}.`, { cause: error });
}

function failureOf(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const { code, syscall } = error as NodeJS.ErrnoException;
  return { message, stack, isStartError: error instanceof StartError, code, syscall };
}
