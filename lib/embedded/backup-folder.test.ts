import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { finishBackup, isDue, lastPast, listBackups, pruneBackups } from "@/lib/embedded/backup-folder";
import { writeDurably } from "@/lib/embedded/durable-file";

const DAY_MS = 86_400_000;
const NOW = Date.parse("2026-11-20T08:00:00Z");
let root: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), "backups-"));
});
afterEach(() => rm(root, { recursive: true }));

/** A backup made this many days ago. */
async function makeBackup(daysAgo: number) {
  const folder = path.join(root, `2026-of-${daysAgo}`);
  await mkdir(folder);
  await finishBackup({ folder, at: new Date(NOW - daysAgo * DAY_MS), systemIdentifier: "1" });
}

const names = async () => (await listBackups(root)).map(({ folder }) => path.basename(folder));

test("backups of the last seven days are kept, and the newest eight regardless of age", async () => {
  for (const daysAgo of [9, 8, 7.5, 6.5, 6, 5, 4, 3, 2, 1, 0.1]) await makeBackup(daysAgo);
  await pruneBackups(root, NOW);
  expect(await names()).toEqual([6.5, 6, 5, 4, 3, 2, 1, 0.1].map((daysAgo) => `2026-of-${daysAgo}`));
  await pruneBackups(root, NOW + 40 * DAY_MS);
  expect(await readdir(root)).toHaveLength(8);
});

test("a folder whose complete.json is damaged is no backup, and hides no other", async () => {
  for (const daysAgo of [2, 1]) await makeBackup(daysAgo);
  for (const text of ["", "{}", "\0\0"]) {
    await writeFile(path.join(root, "2026-of-1", "complete.json"), text);
    expect(await names()).toEqual(["2026-of-2"]);
  }
});

test.runIf(process.getuid?.() === 0)("root's backup belongs to the owner of its folder, who serves", async () => {
  const folder = path.join(root, "of-another-user");
  await mkdir(folder);
  await chown(folder, 65_534, 65_534);
  await finishBackup({ folder, at: new Date(NOW), systemIdentifier: "1" });
  expect(await stat(path.join(folder, "complete.json"))).toMatchObject({ uid: 65_534, gid: 65_534 });
});

test("one run with the clock far ahead neither removes backups nor blocks later ones", async () => {
  for (const daysAgo of [3, 2, 1, -40]) await makeBackup(daysAgo);
  await pruneBackups(root, NOW + 40 * DAY_MS);
  const all = await listBackups(root);
  expect(all).toHaveLength(4);
  expect(lastPast(all, new Date(NOW))?.at).toEqual(new Date(NOW - DAY_MS));
  expect(isDue(all, new Date(NOW))).toBe(true);
  await makeBackup(0);
  expect(isDue(await listBackups(root), new Date(NOW))).toBe(false);
});

test("a folder without the completion mark, a draft and lost+found do not count", async () => {
  await makeBackup(1);
  await writeFile(path.join(root, "notes.txt"), "");
  await mkdir(path.join(root, "draft-1"));
  await mkdir(path.join(root, "2026-half"));
  // Only root can read it, and may be running this: a mark in it tells whether it is read.
  await mkdir(path.join(root, "lost+found"));
  await writeFile(
    path.join(root, "lost+found", "complete.json"),
    await readFile(path.join(root, "2026-of-1", "complete.json")),
  );
  expect(await names()).toEqual(["2026-of-1"]);
});

test("root follows no link in a folder of PostgreSQL's account", async () => {
  const victim = path.join(root, "victim");
  await writeFile(victim, "safe");
  await symlink(victim, path.join(root, `file.new-${process.pid}`));
  await writeDurably(path.join(root, "file"), "content");
  expect(await readFile(victim, "utf8")).toBe("safe");
  expect(await readFile(path.join(root, "file"), "utf8")).toBe("content");
});
