import { DatabaseError } from "pg";
import { runCommand, withoutArguments } from "@/lib/cli/command";
import { env } from "@/lib/config/env";
import { sizeOf, takeBackup } from "@/lib/embedded/backup";
import { NO_BACKUP_DIR } from "@/lib/embedded/backup-folder";
import { StartError } from "@/lib/errors";

await runCommand({
  usage: `Usage:  ./user-groups backup
Takes a backup of the embedded database into BACKUP_DIR, with or without a running service.
A running service takes one every night.`,
  parse: withoutArguments(async () => {
    const { BACKUP_DIR, DATA_DIR } = env();
    if (BACKUP_DIR === undefined) throw new StartError(NO_BACKUP_DIR);
    const backup = await takeBackup(DATA_DIR, BACKUP_DIR).catch((cause: unknown) => {
      // PostgreSQL says what is wrong with the folder or the disk.
      if (!(cause instanceof DatabaseError)) throw cause;
      throw new StartError(`The backup failed: ${cause.message}.`, { cause });
    });
    if (!backup) throw new StartError("Another process is taking a backup. Wait until it has finished.");
    return `${backup.folder} (${Math.ceil((await sizeOf(backup)) / 1_000_000)} MB)\n`;
  }),
});
