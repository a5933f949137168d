import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import {
  type BackupFolder,
  type BaseBackup,
  lastPast,
  listBases,
  logPlace,
  numberOfPlace,
  readOwner,
  SEGMENT,
  segmentNumber,
} from "@/lib/db/backup-folder";
import { syncFolder, writeDurably } from "@/lib/db/durable-file";
import { except } from "@/lib/db/embedded-process";

/** How far back a database can be restored, in milliseconds. */
const KEPT_MS = 7 * 86_400_000;
/** The newest base backups stay however old they seem: for one run the clock may have been far ahead. */
const MOST_KEPT = 8;
/** The local hour of the nightly base backup. */
const NIGHT_HOUR = 2;
/** basic_archive leaves its draft behind when the machine crashes. */
const ABANDONED_MS = 3_600_000;

/** Segments, and the notes that PostgreSQL archives of base backups. */
const OF_A_PLACE = /^[0-9A-F]{8}([0-9A-F]{16})(\.gz|\.[0-9A-F]{8}\.backup)?$/;

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Compresses archived segments: most were closed before they were full, and end in zeros. */
export async function compressLog({ wal }: BackupFolder) {
  for (const name of (await readdir(wal)).sort()) {
    if (!SEGMENT.test(name) || name.endsWith(".gz")) continue;
    const path = join(wal, name);
    const content = await readFile(path);
    const before = await readFile(`${path}.gz`).catch(except("ENOENT"));
    if (before && !(await decompress(before)).equals(content)) {
      throw new Error(
        `${path} and ${name}.gz differ: two databases, one a copy of the other, use this BACKUP_DIR. Give one of them a folder of its own.`,
      );
    }
    if (!before) await writeDurably(`${path}.gz`, await compress(content, { level: 1 }));
    await rm(path);
  }
}

/** Reads an archived segment, compressed or not. */
export async function readSegment(path: string): Promise<Buffer> {
  const content = await readFile(path);
  return path.endsWith(".gz") ? decompress(content) : content;
}

/**
 * Why a base backup is due: there is none of this night, or of the timeline that a restore has started; or the log has a gap after the
 * last one, as of a service that ran without BACKUP_DIR. Undefined when none is due.
 */
export async function whyDue(folder: BackupFolder, bases: BaseBackup[], now = new Date()) {
  const current = (await readOwner(folder))?.timelines.at(-1);
  const last = lastPast(
    bases.filter(({ timeline }) => timeline === (current?.timeline ?? timeline)),
    now,
  );
  const since = new Date(current?.since ?? 0);
  const night = new Date(now);
  night.setHours(NIGHT_HOUR, 0, 0, 0);
  if (night > now) night.setDate(night.getDate() - 1);
  if (!last || last.endedAt < night || (last.endedAt < since && since <= now)) return "time";
  return (await hasGap(folder, last)) ? "gap" : undefined;
}

/** Whether a segment is missing between a base backup and the last archived one. */
async function hasGap({ wal }: BackupFolder, { timeline, start }: BaseBackup): Promise<boolean> {
  const first = segmentNumber(start);
  const numbers = (await readdir(wal)).flatMap((name) => {
    const [, of = "", place = ""] = SEGMENT.exec(name) ?? [];
    const number = numberOfPlace(place);
    return Number.parseInt(of, 16) === timeline && number >= first ? number : [];
  });
  const last = numbers.reduce((most, number) => Math.max(most, number), first);
  return new Set(numbers).size <= last - first;
}

/** Removes the base backups that no moment of the last seven days needs but for the newest ones, and the log before the oldest kept one. */
export async function prune(folder: BackupFolder, now = Date.now()) {
  const all = await listBases(folder);
  const isPast = (at: Date) => now - at.getTime() > KEPT_MS;
  // The newest of the past ones is where the oldest moment in reach is restored from.
  const kept = all.filter(
    ({ endedAt }, index) =>
      index >= all.length - MOST_KEPT || !isPast(endedAt) || !isPast(all[index + 1]?.endedAt ?? new Date(now)),
  );
  for (const base of all) {
    if (kept.includes(base)) continue;
    // Half removed, it must not count.
    const draft = join(folder.bases, `draft-${randomUUID()}`);
    await rename(base.folder, draft);
    await syncFolder(folder.bases);
    await rm(draft, { recursive: true });
  }
  // Without a base backup no part of the log can be missed yet.
  if (kept.length > 0) await pruneLog(folder, kept.map(({ start }) => logPlace(start)).sort()[0] ?? "", now);
}

async function pruneLog({ wal }: BackupFolder, first: string, now: number) {
  for (const name of await readdir(wal)) {
    const place = OF_A_PLACE.exec(name)?.[1];
    const isOld = place !== undefined && place < first;
    if (isOld || (/^archtemp\.|\.new-\d+$/.test(name) && (await isAbandoned(join(wal, name), now)))) {
      await rm(join(wal, name), { force: true });
    }
  }
}

async function isAbandoned(path: string, now: number): Promise<boolean> {
  const found = await stat(path).catch(except("ENOENT"));
  return found !== undefined && now - found.mtimeMs > ABANDONED_MS;
}
