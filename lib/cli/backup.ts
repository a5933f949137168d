import { DatabaseError } from "pg";
import { runCommand } from "@/lib/cli/command";
import { env } from "@/lib/config/env";
import { foldersOf } from "@/lib/db/backup-folder";
import { sizeOf, takeBackup } from "@/lib/db/backup-take";
import { StartError } from "@/lib/errors";

await runCommand({
  usage: `Usage:  npm run backup
Takes a base backup of the embedded database into BACKUP_DIR, with or without a running service.
A service takes one each night by itself.`,
  parse: () => async () => {
    const { BACKUP_DIR, DATA_DIR } = env();
    if (BACKUP_DIR === undefined) throw new StartError("BACKUP_DIR is not set. Set it as the service has it.");
    const base = await takeBackup(DATA_DIR, foldersOf(BACKUP_DIR)).catch((cause: unknown) => {
      // PostgreSQL says what is wrong with the folder or the disk.
      if (!(cause instanceof DatabaseError)) throw cause;
      throw new StartError(`The base backup failed: ${cause.message}.`, { cause });
    });
    if (!base) throw new StartError("Another process is taking a base backup. Wait for its end.");
    const megabytes = Math.ceil((await sizeOf(base)) / 1_000_000);
    return `${base.folder} (${megabytes} MB): moments from ${base.endedAt.toISOString()} on can be restored from it.\n`;
  },
});
