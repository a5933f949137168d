import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { type Backup, lastPast, listBackups } from "@/lib/embedded/backup-folder";
import {
  type Cluster,
  checkVersion,
  failure,
  finishRestore,
  makeDraft,
  readPostmaster,
  replaceData,
  startServer,
} from "@/lib/embedded/cluster";
import { withStoppedCluster } from "@/lib/embedded/postgres";
import { environment, isServerOf, run, stopServer, until } from "@/lib/embedded/process";
import { StartError } from "@/lib/errors";
import { anyJson } from "@/lib/json/any-json";

const RECOVERY_MS = 86_400_000;

/** A finished restore. */
export interface Restored {
  backup: Backup;
  /** where the replaced data are; undefined when there were none */
  replaced: string | undefined;
}

/**
 * Restores the embedded database, whose service must be stopped, from the backup of this name, or from the newest. The
 * data in `dataDir` stay in place until PostgreSQL has opened the restored data, and are then moved aside.
 * @throws {StartError} that says which backups there are, or what is damaged
 */
export async function restoreBackup(dataDir: string, root: string, name: string | undefined): Promise<Restored> {
  return withStoppedCluster(dataDir, async (cluster) => {
    await finishRestore(cluster);
    const backup = await findBackup(root, name);
    const draft = await makeDraft(cluster);
    try {
      await unpack(backup, draft);
      const restored = { ...cluster, data: draft };
      await checkVersion(restored);
      const { account } = cluster;
      if (account) await run("chown", ["-R", `${account.uid}:${account.gid}`, draft], { env: environment });
      await recover(restored);
      return { backup, replaced: await replaceData(cluster, draft) };
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
}

async function findBackup(root: string, name: string | undefined): Promise<Backup> {
  const backups = await listBackups(root);
  const nameOf = ({ folder }: Backup) => basename(folder);
  const found = name === undefined ? lastPast(backups) : backups.find((backup) => nameOf(backup) === basename(name));
  if (found) return found;
  if (backups.length === 0) throw new StartError(`BACKUP_DIR (${root}) contains no backup.`);
  throw new StartError(`There is no such backup. Give one of ${backups.map(nameOf).join(", ")}.`);
}

/** Unpacks a backup, and compares each file with its checksum. */
async function unpack({ folder }: Backup, draft: string) {
  const damaged = (what: string) =>
    new StartError(`The backup ${folder} is damaged: ${what}. Move it away to use the one before.`);
  await run("tar", ["-xf", join(folder, "base.tar"), "-C", draft], { env: environment }).catch((cause) => {
    // On a full disk, one line for each file follows, and the first may only count the bytes written.
    const reason = String(cause.stderr || cause.message)
      .split("\n")
      .find((line) => !line.includes("Wrote only"));
    const remedy = "Unless the disk is full, move the backup away to use the one before.";
    throw new StartError(`Cannot unpack ${folder}: ${reason ?? cause.message}. ${remedy}`, { cause });
  });
  const text = await readFile(join(folder, "backup_manifest"), "utf8").catch(() => "");
  const manifest = anyJson(text) as { Files: { Path: string; Checksum: string }[] } | undefined;
  if (!manifest) throw damaged("backup_manifest is missing or not JSON");
  for (const { Path, Checksum } of manifest.Files) {
    const hash = createHash("sha256");
    try {
      for await (const chunk of createReadStream(join(draft, Path))) hash.update(chunk);
    } catch {
      throw damaged(`${Path} is missing`);
    }
    if (hash.digest("hex") !== Checksum) throw damaged(`${Path} has another checksum`);
  }
}

/** Lets PostgreSQL make the copy consistent from its WAL, before anyone uses it. */
async function recover(cluster: Cluster) {
  const { data } = cluster;
  while (!(await startServer(cluster, undefined)));
  const pid = (await readPostmaster(data))?.pid ?? 0;
  const isReady = async () => (await readPostmaster(data))?.status === "ready";
  await until(async () => (await isReady()) || !(await isServerOf(pid, data)), RECOVERY_MS);
  const hasRecovered = await isReady();
  await stopServer(data, pid);
  if (!hasRecovered) throw await failure(cluster, "could not recover the backup");
}
