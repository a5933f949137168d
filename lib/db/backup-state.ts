import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { foldersOf, lastPast, listBases } from "@/lib/db/backup-folder";
import { read, type Statement } from "@/lib/db/pool";

/** What of the log is archived, and what is not yet. */
export interface Archiving {
  /** when the last segment of the log was archived */
  lastArchivedAt: Date | undefined;
  /** since when a finished segment waits */
  waitingSince: Date | undefined;
}

/** With what is backed up. */
export interface BackupState extends Archiving {
  /** when the last base backup ended; undefined when there is none */
  lastBackupAt: Date | undefined;
}

/** What archiving may normally take, in milliseconds. */
const NORMAL_MS = 10_000;

const ARCHIVER: Statement = {
  name: "read_archiver",
  text: "SELECT last_archived_time AS at FROM pg_stat_archiver",
};

/** Reads the state of the embedded database's backups. */
export async function readBackupState(dataDir: string, root: string): Promise<BackupState> {
  const [bases, archiving] = await Promise.all([listBases(foldersOf(root)), readArchiving(dataDir)]);
  return { lastBackupAt: lastPast(bases)?.endedAt, ...archiving };
}

/** Reads how far the embedded database's log is archived. */
export async function readArchiving(dataDir: string): Promise<Archiving> {
  const [[archiver], waitingSince] = await Promise.all([
    read<{ at: Date | null }>(ARCHIVER, []),
    oldestWaiting(join(dataDir, "postgres/pg_wal/archive_status")),
  ]);
  return { lastArchivedAt: archiver?.at ?? undefined, waitingSince };
}

/** PostgreSQL marks each finished segment with a file, which it renames once that is archived. */
async function oldestWaiting(folder: string): Promise<Date | undefined> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".ready"));
  const found = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  const times = found.flatMap((one) => one?.mtimeMs ?? []);
  const oldest = Math.min(...times);
  return Date.now() - oldest > NORMAL_MS && times.length > 0 ? new Date(oldest) : undefined;
}
