import { randomUUID } from "node:crypto";
import { access, chown, constants, mkdir, readdir, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { z } from "zod";
import { syncFolder, writeDurably } from "@/lib/embedded/durable-file";
import { environment, except, run } from "@/lib/embedded/process";
import { StartError } from "@/lib/errors";
import { anyJson } from "@/lib/json/any-json";

/** The error of a command that needs a folder for backups. */
export const NO_BACKUP_DIR =
  "BACKUP_DIR is not set. Set it as the service has it. With DATABASE_URL, back up that server (docs/backup.md).";

/** A finished backup. */
export interface Backup {
  folder: string;
  /** when it began, by the database's clock: it contains everything committed before */
  at: Date;
  /** identifies the database it was taken from */
  systemIdentifier: string;
}

/** Written last: a folder without it is incomplete. */
const COMPLETE = "complete.json";
const completeJson = z.object({ at: z.iso.datetime(), system_identifier: z.string() });

/** Older backups are removed. */
const KEPT_MS = 7 * 86_400_000;
/** The newest backups stay however old they seem: for one run the clock may have been far ahead. */
const MAX_KEPT = 8;
/** The local hour of the nightly backup. */
const NIGHT_HOUR = 2;

/** Marks the backup in a folder as finished. */
export async function finishBackup({ folder, at, systemIdentifier }: Backup) {
  const written: z.infer<typeof completeJson> = { at: at.toISOString(), system_identifier: systemIdentifier };
  const file = join(folder, COMPLETE);
  await writeDurably(file, `${JSON.stringify(written)}\n`);
  // A service that is not root must be able to read what root's command has written. Its unit forbids chown.
  const { uid, gid } = await stat(folder);
  if (process.getuid?.() === 0) await chown(file, uid, gid);
}

/** The finished backups in BACKUP_DIR, oldest first. */
export async function listBackups(root: string): Promise<Backup[]> {
  const entries = (await readdir(root, { withFileTypes: true }).catch(except("ENOENT"))) ?? [];
  // Only names that backups have: the root of a disk also has lost+found, which only root can read.
  const names = entries.filter((entry) => entry.isDirectory() && /^\d{4}-/.test(entry.name));
  const found = await Promise.all(
    names.map(async ({ name }) => {
      const folder = join(root, name);
      const text = (await readFile(join(folder, COMPLETE), "utf8").catch(except("ENOENT"))) ?? "";
      // A damaged backup must not block a restore from the others.
      const { data } = completeJson.safeParse(anyJson(text));
      return data ? [{ folder, at: new Date(data.at), systemIdentifier: data.system_identifier }] : [];
    }),
  );
  return found.flat().sort((one, other) => one.at.getTime() - other.at.getTime());
}

/** The newest of these backups, ignoring any from the future: the clock was wrong then. */
export function lastPast(backups: Backup[], now = new Date()): Backup | undefined {
  return backups.findLast(({ at }) => at <= now);
}

/** Whether there is no backup since the last nightly hour. */
export function isDue(backups: Backup[], now = new Date()): boolean {
  const night = new Date(now);
  night.setHours(NIGHT_HOUR, 0, 0, 0);
  if (night > now) night.setDate(night.getDate() - 1);
  const last = lastPast(backups, now);
  return !last || last.at < night;
}

/** Removes backups older than seven days, except the newest ones. */
export async function pruneBackups(root: string, now = Date.now()) {
  for (const { folder, at } of (await listBackups(root)).slice(0, -MAX_KEPT)) {
    if (now - at.getTime() <= KEPT_MS) continue;
    // A half-removed backup must not count as one.
    const draft = draftIn(root);
    await rename(folder, draft);
    await syncFolder(root);
    await rm(draft, { recursive: true });
  }
}

const isDraft = (name: string) => name.startsWith("draft-");

/** A folder for an incomplete backup. */
export const draftIn = (root: string) => join(root, `draft-${randomUUID()}`);

/** Removes the drafts of killed backups. */
export async function removeDrafts(root: string) {
  for (const name of await readdir(root)) {
    if (isDraft(name)) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** The identifier that initdb gave the database in DATA_DIR, shared by all of its copies. */
export async function systemIdentifier(dataDir: string): Promise<string> {
  // pg_control begins with it.
  return (await readFile(join(dataDir, "postgres/global/pg_control"))).readBigUInt64LE().toString();
}

/**
 * Makes BACKUP_DIR ready for the embedded database in DATA_DIR, whose account writes there.
 * @throws {StartError} when the folder is unusable, or contains another database's backups
 */
export async function claimBackupFolder(given: string, dataDir: string) {
  const root = await makeFolder(given, dataDir);
  const last = (await listBackups(root)).at(-1);
  if (!last || last.systemIdentifier === (await systemIdentifier(dataDir))) return;
  throw new StartError(
    `BACKUP_DIR (${given}) contains backups of a database other than the one in ${dataDir}. ` +
      "Set BACKUP_DIR to a folder of its own.",
  );
}

async function makeFolder(given: string, dataDir: string): Promise<string> {
  // As root, PostgreSQL runs as the owner of its data.
  const account = process.getuid?.() === 0 ? await stat(join(dataDir, "postgres")) : undefined;
  try {
    await mkdir(given, { recursive: true, mode: 0o700 });
    const root = await realpath(given);
    const path = relative(await realpath(dataDir), root);
    if (!path.startsWith("..") && !isAbsolute(path)) {
      throw new StartError(`BACKUP_DIR (${given}) is inside DATA_DIR. Set it to a folder on another disk.`);
    }
    if (account) {
      const { uid, gid } = account;
      await chown(root, uid, gid);
      await run("test", ["-w", root, "-a", "-x", root], { cwd: "/", env: environment, uid, gid });
    } else await access(root, constants.W_OK | constants.X_OK);
    return root;
  } catch (error) {
    if (error instanceof StartError) throw error;
    const who = account ? `user ${account.uid}, which runs PostgreSQL,` : "the user that runs the service";
    throw new StartError(
      `Cannot write to BACKUP_DIR (${given}). Create it, and let ${who} enter the folders above it.`,
      { cause: error },
    );
  }
}
