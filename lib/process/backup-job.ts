import { env } from "@/lib/config/env";
import { foldersOf, listBases, readOwner } from "@/lib/db/backup-folder";
import { type BackupState, readBackupState } from "@/lib/db/backup-state";
import { takeBackup } from "@/lib/db/backup-take";
import { compressLog, prune } from "@/lib/db/backup-upkeep";
import { WAITS_TOO_LONG_MS } from "@/lib/doctor/schema";
import { log } from "@/lib/telemetry/log";
import { meter } from "@/lib/telemetry/meter";

/** The local hour of the nightly base backup. */
const NIGHT_HOUR = 2;
/** After a failed attempt, which may have filled the disk. */
const PAUSE_MS = 3_600_000;

let nextAttemptAt = 0;
let isBehind = false;

/** Takes the nightly base backup when it is due, compresses and prunes, and raises the alarm when the log is not archived. */
export async function keepBackups() {
  const { BACKUP_DIR, DATA_DIR } = env();
  if (BACKUP_DIR === undefined) return;
  report(await readBackupState(DATA_DIR, BACKUP_DIR));
  const folder = foldersOf(BACKUP_DIR);
  if (Date.now() >= nextAttemptAt && (await isDue(BACKUP_DIR, new Date()))) {
    // A failed one is tried again after the pause only.
    nextAttemptAt = Date.now() + PAUSE_MS;
    const base = await takeBackup(DATA_DIR, folder).catch((err: unknown) => {
      log().error({ err }, "the base backup failed: it will be retried in an hour");
    });
    if (base) {
      nextAttemptAt = 0;
      log().info({ folder: base.folder }, "a base backup was taken");
      report(await readBackupState(DATA_DIR, BACKUP_DIR));
    }
  }
  await prune(folder);
  await compressLog(folder);
}

/** Whether there is no base backup of this night, or of the timeline that a restore has started. */
async function isDue(root: string, now: Date): Promise<boolean> {
  const folder = foldersOf(root);
  const [last, owner] = [(await listBases(folder)).at(-1), await readOwner(folder)];
  const since = Date.parse(owner?.timelines.at(-1)?.since ?? "");
  const night = new Date(now);
  night.setHours(NIGHT_HOUR, 0, 0, 0);
  if (night > now) night.setDate(night.getDate() - 1);
  return !last || last.endedAt < night || last.endedAt.getTime() < since;
}

function report(state: BackupState) {
  meter()?.backedUp(state);
  const wasBehind = isBehind;
  isBehind = state.waitingSince !== undefined && Date.now() - state.waitingSince.getTime() > WAITS_TOO_LONG_MS;
  if (isBehind && !wasBehind) {
    log().error(
      { since: state.waitingSince },
      "the database's log is not archived: BACKUP_DIR is full, missing or not writable. DATA_DIR/postgres.log has the reason, and DATA_DIR fills up until it is mended",
    );
  }
  if (wasBehind && !isBehind) log().info("the database's log is archived again");
}
