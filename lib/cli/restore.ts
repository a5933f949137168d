import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { runCommand } from "@/lib/cli/command";
import { env } from "@/lib/config/env";
import { restoreBackup } from "@/lib/db/restore";
import { StartError } from "@/lib/errors";
import { instant } from "@/lib/json/instant";

await runCommand({
  usage: `Usage:  npm run restore [-- --at 2026-11-20T08:00:00Z]
Restores the embedded database in DATA_DIR from BACKUP_DIR to a moment of the last days, or to the newest state.
Stop the service first. The replaced data are kept next to the restored ones.`,
  isApart: true,
  parse() {
    const { values } = parseArgs({ options: { at: { type: "string" } } });
    const time = instant("must be a time with its zone, as in 2026-11-20T08:00:00Z").optional().safeParse(values.at);
    if (time.error) throw new StartError(`--at ${time.error.issues[0]?.message}`);
    return () => restore(time.data);
  },
});

async function restore(at: Date | undefined): Promise<string> {
  const { DATA_DIR, BACKUP_DIR, SECRET_KEY } = env();
  if (BACKUP_DIR === undefined) throw new StartError("BACKUP_DIR is not set. Set it as the service has it.");
  const { lastChangeAt, base, replaced } = await restoreBackup(DATA_DIR, BACKUP_DIR, at);
  const last = lastChangeAt ? `The last change is of ${lastChangeAt.toISOString()}.` : "No change followed the backup.";
  const lines = [`Restored ${at?.toISOString() ?? "the newest state"} from ${base.folder}. ${last}`];
  if (replaced)
    lines.push(`The replaced data are in ${replaced}. Delete them once you have checked the restored ones.`);
  if (!SECRET_KEY && !existsSync(path.join(DATA_DIR, "secret-key"))) {
    lines.push(
      `The secret key is not in the backup. Put it into ${path.join(DATA_DIR, "secret-key")} before the start.`,
    );
  }
  return `${lines.join("\n")}\nStart the service.\n`;
}
