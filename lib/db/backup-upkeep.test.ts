import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type BackupFolder, finishBase, foldersOf, lastPast, listBases, segmentOf } from "@/lib/db/backup-folder";
import { compressLog, prune, readSegment, whyDue } from "@/lib/db/backup-upkeep";
import { writeDurably } from "@/lib/db/durable-file";

const DAY_MS = 86_400_000;
const SEGMENT_BYTES = 16 * 1024 * 1024;
const NOW = Date.parse("2026-11-20T08:00:00Z");
let folder: BackupFolder;

beforeEach(async () => {
  folder = foldersOf(await mkdtemp(path.join(tmpdir(), "backups-")));
  await Promise.all([mkdir(folder.bases), mkdir(folder.wal)]);
});
afterEach(() => rm(folder.root, { recursive: true }));

/** A base backup that ended so many days ago; each day has ten segments. */
async function makeBase(daysAgo: number) {
  const name = `base-${daysAgo}`;
  await mkdir(path.join(folder.bases, name));
  const start = BigInt((20 - daysAgo) * 10 * SEGMENT_BYTES);
  const endedAt = new Date(NOW - daysAgo * DAY_MS);
  await finishBase({ folder: path.join(folder.bases, name), endedAt, timeline: 1, start, end: start + 256n });
}

const segment = (daysAgo: number, offset: number) =>
  segmentOf(1, BigInt(((20 - daysAgo) * 10 + offset) * SEGMENT_BYTES));

test("seven days can be restored: the newest older base backup stays too, and the log from there on", async () => {
  for (const daysAgo of [10, 9, 7.5, 6.5, 5, 4, 3, 2, 1, 0.1]) await makeBase(daysAgo);
  const names = [segment(9, 0), `${segment(7.5, -1)}.gz`, segment(7.5, 0), `${segment(1, 0)}.gz`];
  const others = [`${segment(9, 0)}.00000028.backup`, "00000002.history", "notes.txt"];
  for (const name of [...names, ...others]) await writeFile(path.join(folder.wal, name), "");
  await prune(folder, NOW);
  const left = (await listBases(folder)).map((base) => path.basename(base.folder));
  expect(left).toEqual(["7.5", "6.5", "5", "4", "3", "2", "1", "0.1"].map((daysAgo) => `base-${daysAgo}`));
  expect((await readdir(folder.bases)).length).toBe(8);
  const kept = ["00000002.history", "notes.txt", segment(7.5, 0), `${segment(1, 0)}.gz`];
  expect((await readdir(folder.wal)).toSorted()).toEqual(kept.toSorted());
});

test("however old, the newest base backups stay; without one, so does the log", async () => {
  await writeFile(path.join(folder.wal, segment(20, 1)), "");
  await prune(folder, NOW);
  expect(await readdir(folder.wal)).toEqual([segment(20, 1)]);
  for (const daysAgo of [19, 18, 17, 16, 15, 14, 13, 12, 11]) await makeBase(daysAgo);
  await prune(folder, NOW);
  expect((await listBases(folder)).map((base) => path.basename(base.folder))[0]).toBe("base-18");
  expect(await listBases(folder)).toHaveLength(8);
  expect(await readdir(folder.wal)).toEqual([]);
});

/** The base backup of this day and its log. */
async function makeBackup(daysAgo: number) {
  await makeBase(daysAgo);
  for (const n of [0, 1]) await writeFile(path.join(folder.wal, `${segment(daysAgo, n)}.gz`), "");
}

const due = async () => whyDue(folder, await listBases(folder), new Date(NOW));

test("one run with the clock far ahead neither removes backups nor keeps further ones from being taken", async () => {
  for (const daysAgo of [3, 2, 1]) await makeBackup(daysAgo);
  await makeBase(-40);
  await prune(folder, NOW + 40 * DAY_MS);
  expect(await listBases(folder)).toHaveLength(4);
  expect(lastPast(await listBases(folder), new Date(NOW))?.endedAt).toEqual(new Date(NOW - DAY_MS));
  expect(await due()).toBe("time");
  await makeBackup(0);
  expect(await due()).toBeUndefined();
});

test("a gap in the log after the last base backup makes another one due", async () => {
  await makeBackup(0);
  expect(await due()).toBeUndefined();
  await writeFile(path.join(folder.wal, segment(0, 3)), "");
  expect(await due()).toBe("gap");
  await writeFile(path.join(folder.wal, segment(0, 2)), "");
  expect(await due()).toBeUndefined();
});

test("what else lies among the base backups is left alone, and root follows no link there", async () => {
  await makeBase(1);
  await writeFile(path.join(folder.bases, "notes.txt"), "");
  expect(await listBases(folder)).toHaveLength(1);
  const victim = path.join(folder.root, "victim");
  await writeFile(victim, "safe");
  await symlink(victim, path.join(folder.wal, `file.new-${process.pid}`));
  await writeDurably(path.join(folder.wal, "file"), "content");
  expect([await readFile(victim, "utf8"), await readFile(path.join(folder.wal, "file"), "utf8")]).toEqual([
    "safe",
    "content",
  ]);
});

test("a base backup that was not finished does not count", async () => {
  await makeBase(1);
  await mkdir(path.join(folder.bases, "draft-1"));
  await mkdir(path.join(folder.bases, "base-half"));
  expect((await listBases(folder)).map((base) => path.basename(base.folder))).toEqual(["base-1"]);
});

test("segments are compressed, and a copy of the database that archives here too is noticed", async () => {
  const name = segment(1, 0);
  const file = path.join(folder.wal, name);
  const content = Buffer.alloc(100_000, "a change");
  await writeFile(file, content);
  await compressLog(folder);
  expect(await readdir(folder.wal)).toEqual([`${name}.gz`]);
  expect(gunzipSync(await readFile(`${file}.gz`)).equals(content)).toBe(true);
  expect((await readSegment(`${file}.gz`)).equals(content)).toBe(true);
  // PostgreSQL archives a segment again when it crashed before it noted that.
  await writeFile(file, content);
  await compressLog(folder);
  expect(await readdir(folder.wal)).toEqual([`${name}.gz`]);
  await writeFile(file, Buffer.alloc(100_000, "another"));
  await expect(compressLog(folder)).rejects.toThrow(/two databases, one a copy of the other, use this BACKUP_DIR/);
  expect((await readSegment(`${file}.gz`)).equals(content)).toBe(true);
});
