import { env } from "@/lib/config/env";
import { foldersOf, lastPast, listBases } from "@/lib/db/backup-folder";
import { type Archiving, readArchiving } from "@/lib/db/backup-state";
import { takeBackup } from "@/lib/db/backup-take";
import { compressLog, prune, whyDue } from "@/lib/db/backup-upkeep";
import { WAITS_TOO_LONG_MS } from "@/lib/doctor/schema";
import { log } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

/** After a failed attempt, which may have filled the disk. */
const PAUSE_MS = 3_600_000;

let nextAttemptAt = 0;
let isBehind = false;
let lastBackupAt: Date | undefined;

/** Takes a base backup when one is due, compresses and prunes, and raises the alarm when the log is not archived. */
export async function keepBackups() {
  const { BACKUP_DIR, DATA_DIR } = env();
  if (BACKUP_DIR === undefined) return;
  const folder = foldersOf(BACKUP_DIR);
  // First: a folder that cannot be read must not silence this alarm.
  report(await readArchiving(DATA_DIR));
  const bases = await listBases(folder);
  lastBackupAt = lastPast(bases)?.endedAt;
  const due = Date.now() >= nextAttemptAt ? await whyDue(folder, bases) : undefined;
  if (due) {
    const future = bases.find(({ endedAt }) => endedAt.getTime() > Date.now());
    if (due === "gap") {
      log().error(
        { since: lastBackupAt },
        "the archived log has a gap, as after a run without BACKUP_DIR: not every moment since the last base backup can be restored. Another one is taken now",
      );
    }
    if (future) {
      log().error(
        { folder: future.folder },
        "a base backup is from the future: the clock was wrong when it was taken, or is now",
      );
    }
    // A failed one is tried again after the pause only.
    nextAttemptAt = Date.now() + PAUSE_MS;
    const base = await takeBackup(DATA_DIR, folder).catch((err: unknown) => {
      log().error({ err }, "the base backup failed: it will be retried in an hour");
    });
    if (base) {
      nextAttemptAt = 0;
      lastBackupAt = base.endedAt;
      log().info({ folder: base.folder }, "a base backup was taken");
    }
  }
  report(await readArchiving(DATA_DIR));
  await prune(folder);
  await compressLog(folder);
}

function report({ waitingSince }: Archiving) {
  meter()?.backedUp({ waitingSince, lastBackupAt });
  const wasBehind = isBehind;
  isBehind = waitingSince !== undefined && Date.now() - waitingSince.getTime() > WAITS_TOO_LONG_MS;
  if (isBehind && !wasBehind) {
    log().error(
      { since: waitingSince },
      "the database's log is not archived: BACKUP_DIR is full, missing or not writable. DATA_DIR/postgres.log has the reason, and DATA_DIR fills up until it is mended",
    );
  }
  if (wasBehind && !isBehind) log().info("the database's log is archived again");
}
