import { env } from "@/lib/config/env";
import { takeBackup } from "@/lib/embedded/backup";
import { isDue, lastPast, listBackups, pruneBackups } from "@/lib/embedded/backup-folder";
import { log } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

/** After a failed attempt, which may have filled the disk. */
const PAUSE_MS = 3_600_000;

let nextAttemptAt = 0;

/** Takes a backup of the embedded database when one is due, and removes old ones. */
export async function keepBackups() {
  const { BACKUP_DIR, DATA_DIR } = env();
  if (BACKUP_DIR === undefined) return;
  const backups = await listBackups(BACKUP_DIR);
  meter()?.backedUp(lastPast(backups)?.at);
  if (!isDue(backups) || Date.now() < nextAttemptAt) return;
  const future = backups.find(({ at }) => at.getTime() > Date.now());
  if (future) {
    log().error(
      { folder: future.folder },
      "a backup is from the future: the clock was wrong when it was taken, or is now",
    );
  }
  // A failed one is tried again after the pause only.
  nextAttemptAt = Date.now() + PAUSE_MS;
  const taken = await takeBackup(DATA_DIR, BACKUP_DIR).catch((err: unknown) => {
    log().error({ err }, "the backup failed: it will be retried in an hour");
  });
  if (!taken) return;
  nextAttemptAt = 0;
  meter()?.backedUp(taken.at);
  log().info({ folder: taken.folder }, "a backup was taken");
  await pruneBackups(BACKUP_DIR);
}
