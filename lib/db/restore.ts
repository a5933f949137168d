import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { copyFile, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import {
  type BackupFolder,
  type BackupOwner,
  type BaseBackup,
  currentTimeline,
  foldersOf,
  HISTORY,
  historyOf,
  listBases,
  logPlace,
  positionOf,
  readOwner,
  SEGMENT,
  systemIdentifier,
} from "@/lib/db/backup-folder";
import { readSegment } from "@/lib/db/backup-upkeep";
import { withStoppedCluster } from "@/lib/db/embedded";
import {
  type Cluster,
  checkVersion,
  failure,
  finishRestore,
  makeDraft,
  readPostmaster,
  replaceData,
  startServer,
} from "@/lib/db/embedded-cluster";
import { environment, except, isServerOf, run, stopServer } from "@/lib/db/embedded-process";
import { StartError } from "@/lib/errors";

/** The log that a restore reads, inside the new data: PostgreSQL's account may be unable to enter BACKUP_DIR. */
const STAGED = "restored_wal";
const RECOVERY_MS = 86_400_000;

/** A finished restore. */
export interface Restored {
  /** when the last change that it contains was committed; undefined when none followed the base backup */
  lastChangeAt: Date | undefined;
  base: BaseBackup;
  /** where the replaced data are; undefined when there were none */
  replaced: string | undefined;
}

/**
 * Restores the embedded database, whose service must be stopped, to a moment, or to the newest state. The data
 * in `dataDir` stay in place until the restored ones are complete, and aside afterwards.
 * @throws {StartError} that says which moments are possible
 */
export async function restoreBackup(dataDir: string, root: string, at: Date | undefined): Promise<Restored> {
  const folder = foldersOf(root);
  return withStoppedCluster(dataDir, async (cluster) => {
    await finishRestore(cluster);
    const plan = await makePlan(folder, at);
    const draft = await makeDraft(cluster);
    try {
      await unpack(plan.base, draft);
      await checkVersion({ ...cluster, data: draft });
      const isWhole = await stageLog(plan, cluster.data, join(draft, STAGED));
      await writeFile(join(draft, "recovery.signal"), "");
      const { account } = cluster;
      if (account) await run("chown", ["-R", `${account.uid}:${account.gid}`, draft], { env: environment });
      const lastChangeAt = await recover({ ...cluster, data: draft }, plan, isWhole);
      await rm(join(draft, STAGED), { recursive: true });
      return { lastChangeAt, base: plan.base, replaced: await replaceData(cluster, draft) };
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  });
}

interface Plan {
  folder: BackupFolder;
  owner: BackupOwner;
  base: BaseBackup;
  at: Date | undefined;
  timeline: number;
  /** the timelines to read, each with the position where the next one left it */
  path: Map<number, bigint | undefined>;
  /** the place of the last archived segment of the timeline */
  last: string;
}

async function makePlan(folder: BackupFolder, at: Date | undefined): Promise<Plan> {
  const [owner, bases] = [await readOwner(folder), await listBases(folder)];
  const [first] = bases;
  if (!owner || !first) throw new StartError(`BACKUP_DIR (${folder.root}) contains no base backup.`);
  const range = `Possible are moments from ${first.endedAt.toISOString()} until now.`;
  if (at && at > new Date()) throw new StartError(`${at.toISOString()} is in the future. ${range}`);
  const timeline = timelineAt(owner, at);
  const path = await pathOf(folder, timeline);
  const isUsable = ({ timeline, end, endedAt }: BaseBackup) => {
    const left = path.get(timeline);
    return path.has(timeline) && (left === undefined || end <= left) && (at === undefined || endedAt <= at);
  };
  const base = bases.findLast(isUsable);
  if (!base) throw new StartError(`No backup contains ${at?.toISOString() ?? "the newest state"}. ${range}`);
  const names = await readdir(folder.wal);
  const places = names.flatMap((name) => {
    const [, of = "", place] = SEGMENT.exec(name) ?? [];
    return place !== undefined && Number.parseInt(of, 16) === timeline ? place : [];
  });
  return { folder, owner, base, at, timeline, path, last: places.sort().at(-1) ?? "" };
}

/** The timeline that was being written at a moment: a restore does not undo what was before it. */
function timelineAt({ timelines }: BackupOwner, at: Date | undefined): number {
  const begun = timelines.filter(({ since }) => at === undefined || Date.parse(since) <= at.getTime());
  return (begun.at(-1) ?? timelines[0])?.timeline ?? 1;
}

async function pathOf({ wal }: BackupFolder, timeline: number): Promise<Plan["path"]> {
  const path: Plan["path"] = new Map([[timeline, undefined]]);
  if (timeline === 1) return path;
  const text = await readFile(join(wal, historyOf(timeline)), "utf8");
  for (const [, parent, left] of text.matchAll(/^(\d+)\t([0-9A-F]+\/[0-9A-F]+)/gm)) {
    path.set(Number(parent), positionOf(left ?? ""));
  }
  return path;
}

/** Unpacks a base backup, and compares each file with its checksum. */
async function unpack({ folder }: BaseBackup, draft: string) {
  const damaged = (what: string) =>
    new StartError(`The base backup ${folder} is damaged: ${what}. Move it away to use the one before.`);
  await promisify(execFile)("tar", ["-xf", join(folder, "base.tar"), "-C", draft], { env: environment }).catch(
    (error: Error) => {
      throw damaged(error.message);
    },
  );
  const manifest = JSON.parse(await readFile(join(folder, "backup_manifest"), "utf8")) as {
    Files: { Path: string; Checksum: string }[];
  };
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

/**
 * Copies the log from the base backup on: archived segments, and what the data in place had not archived yet. Returns
 * whether these are of the same timeline, which nothing is missing of then.
 */
async function stageLog({ folder, owner, base, path, timeline }: Plan, data: string, staged: string): Promise<boolean> {
  await mkdir(staged);
  const first = logPlace(base.start);
  const isNeeded = (name: string) => {
    const [, timeline = "", place = ""] = SEGMENT.exec(name) ?? [];
    return HISTORY.test(name) || (path.has(Number.parseInt(timeline, 16)) && place >= first);
  };
  for (const name of (await readdir(folder.wal)).filter(isNeeded)) {
    if (name.endsWith(".gz"))
      await writeSparsely(join(staged, name.slice(0, -3)), await readSegment(join(folder.wal, name)));
    else await copyFile(join(folder.wal, name), join(staged, name));
  }
  const identifier = await systemIdentifier(data).catch(except("ENOENT"));
  if (identifier !== owner.system_identifier) return false;
  const present = new Set(await readdir(staged));
  for (const name of (await readdir(join(data, "pg_wal"))).filter(isNeeded)) {
    if (!present.has(name)) await copyFile(join(data, "pg_wal", name), join(staged, name));
  }
  return (await currentTimeline(data)) === timeline;
}

/** Writes a segment without the zeros that end most of them. */
async function writeSparsely(path: string, content: Buffer) {
  let end = content.length;
  while (end > 0 && content[end - 1] === 0) end--;
  await writeFile(path, content.subarray(0, end));
  await truncate(path, content.length);
}

interface Recovery {
  reached: boolean;
  /** how far the log was read */
  end: bigint;
  /** when the last change was committed */
  lastChangeAt: Date | undefined;
}

/** Recovers to the moment; returns when the last change before it was committed. */
async function recover(cluster: Cluster, plan: Plan, isWhole: boolean): Promise<Date | undefined> {
  const { at, base, last } = plan;
  const { reached, end, lastChangeAt } = await runRecovery(cluster, plan, at);
  if (at && reached) return lastChangeAt;
  const until = (lastChangeAt ?? base.endedAt).toISOString();
  if (logPlace(end) < last) {
    throw new StartError(
      `The archived log is readable until ${until} only: a segment between ${logPlace(end)} and ${last} is missing or damaged. Restore with --at ${until} or earlier.`,
    );
  }
  if (!at) return lastChangeAt;
  if (!isWhole) {
    throw new StartError(
      `The backups end before ${at.toISOString()}: their last change is of ${until}. Restore with --at ${until} or earlier, or without --at to restore everything.`,
    );
  }
  // Nothing was changed between the end of the log and the moment.
  await runRecovery(cluster, plan, undefined);
  return lastChangeAt;
}

/** Lets PostgreSQL read the log until the moment or the end, and begin a new timeline there, which nobody uses yet. */
async function runRecovery(cluster: Cluster, { timeline }: Plan, at: Date | undefined): Promise<Recovery> {
  const { data, log, programs } = cluster;
  const before = await sizeOfLog(log);
  const copy = process.platform === "win32" ? `copy "${STAGED}\\%f" "%p"` : `cp ${STAGED}/%f %p`;
  const settings = {
    restore_command: copy,
    recovery_target_timeline: String(timeline),
    recovery_target_action: "promote",
    hot_standby: "off",
    ...(at && { recovery_target_time: at.toISOString().replace("T", " ").replace("Z", "+00") }),
  };
  while (!(await startServer(cluster, undefined, settings)));
  const pid = (await readPostmaster(data))?.pid ?? 0;
  let isDone = false;
  for (const deadline = Date.now() + RECOVERY_MS; Date.now() < deadline; await sleep(100)) {
    isDone = (await readPostmaster(data))?.status === "ready";
    if (isDone || !(await isServerOf(pid, data))) break;
  }
  await stopServer(programs, data, pid);
  const said = (await readFile(log)).subarray(before).toString();
  const endedEarly = /recovery ended before configured recovery target was reached/.test(said);
  const end = /redo done at ([0-9A-F]+\/[0-9A-F]+)/.exec(said)?.[1];
  if ((!isDone && !endedEarly) || end === undefined) throw await failure(cluster, "could not read the backup");
  const lastChange = /last completed transaction was at log time (.+?)\+00/.exec(said)?.[1];
  return {
    reached: isDone,
    end: positionOf(end),
    lastChangeAt: lastChange === undefined ? undefined : new Date(`${lastChange}Z`),
  };
}

async function sizeOfLog(log: string): Promise<number> {
  return (await stat(log).catch(except("ENOENT")))?.size ?? 0;
}
