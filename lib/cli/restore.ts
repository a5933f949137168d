import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { runCommand } from "@/lib/cli/command";
import { env } from "@/lib/config/env";
import { NO_BACKUP_DIR } from "@/lib/embedded/backup-folder";
import { restoreBackup } from "@/lib/embedded/restore";
import { StartError } from "@/lib/errors";

await runCommand({
  usage: `Usage:  ./user-groups restore [BACKUP]
Restores the embedded database in DATA_DIR from the newest backup in BACKUP_DIR, or from the one named BACKUP.
Stop the service first. The replaced data are kept next to the restored ones.`,
  isApart: true,
  parse() {
    const [name, ...rest] = parseArgs({ allowPositionals: true, options: {} }).positionals;
    if (rest.length > 0) throw new StartError(`Unexpected argument "${rest[0]}".`);
    return () => restore(name);
  },
});

async function restore(name: string | undefined): Promise<string> {
  const { DATA_DIR, BACKUP_DIR, SECRET_KEY } = env();
  if (BACKUP_DIR === undefined) throw new StartError(NO_BACKUP_DIR);
  const { backup, replaced } = await restoreBackup(DATA_DIR, BACKUP_DIR, name);
  const since = backup.at.toISOString();
  const lines = [`Restored ${backup.folder}, taken at ${since}.`];
  if (replaced)
    lines.push(`The replaced data are in ${replaced}. Delete them once you have checked the restored ones.`);
  if (!SECRET_KEY && !existsSync(path.join(DATA_DIR, "secret-key"))) {
    const place = path.join(DATA_DIR, "secret-key");
    lines.push(`The secret key is not in the backup. Put it into ${place} before you start the service.`);
  }
  return `${lines.join("\n")}

Changes since then are lost. Whatever was ended, revoked or replaced since is valid again: API tokens, members,
sessions, viewer keys and user group tokens. End or revoke it again; viewer tokens end when you revoke the viewer keys
in the dashboard. If you keep the output of "./user-groups events", start the service and replace user group tokens again:
  ./user-groups user-group-token rotate-replaced --since ${since} < EVENTS
`;
}
