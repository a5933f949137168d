import { access, chown, constants, mkdir, readdir, readFile, realpath } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { z } from "zod";
import { writeDurably } from "@/lib/db/durable-file";
import { type Account, environment, except, run } from "@/lib/db/embedded-process";
import { StartError } from "@/lib/errors";

/** The folders of BACKUP_DIR. */
export interface BackupFolder {
  root: string;
  /** base backups, each in a folder named after the first moment that can be restored from it */
  bases: string;
  /** archived segments of the log, compressed some time after their arrival, and timeline histories */
  wal: string;
}

/** A finished base backup. */
export interface BaseBackup {
  folder: string;
  /** the first moment that can be restored from it, by the database's clock */
  endedAt: Date;
  timeline: number;
  /** positions in the log: the restore reads from `start`, and is consistent from `end` */
  start: bigint;
  end: bigint;
}

const SEGMENT_BYTES = 16n * 1024n * 1024n;
const PER_LOG = 0x1_0000_0000n / SEGMENT_BYTES;
const CONTROL = "backup.json";
const OWNER = "database.json";

/** The name of a segment, or of a compressed one: timeline, and place in the log. */
export const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{16})(\.gz)?$/;
/** The pattern of {@link historyOf}. */
export const HISTORY = /^([0-9A-F]{8})\.history$/;

/** The name of a timeline's history. */
export const historyOf = (timeline: number) => `${hex(BigInt(timeline))}.history`;

const hex = (value: bigint) => value.toString(16).toUpperCase().padStart(8, "0");

/** A position in PostgreSQL's notation, as a number. */
export function positionOf(text: string): bigint {
  const [high = "", low = ""] = text.split("/");
  return BigInt(`0x${high}`) * 0x1_0000_0000n + BigInt(`0x${low}`);
}

/** The second part of a segment's name: its place in the log, whatever the timeline. */
export function logPlace(position: bigint): string {
  const segment = position / SEGMENT_BYTES;
  return hex(segment / PER_LOG) + hex(segment % PER_LOG);
}

/** The number of the segment that contains a position, and of the one with a name's place. */
export const segmentNumber = (position: bigint) => Number(position / SEGMENT_BYTES);
export const numberOfPlace = (place: string) =>
  Number.parseInt(place.slice(0, 8), 16) * Number(PER_LOG) + Number.parseInt(place.slice(8), 16);

/** The name of the segment that contains a position. */
export function segmentOf(timeline: number, position: bigint): string {
  return hex(BigInt(timeline)) + logPlace(position);
}

export function foldersOf(root: string): BackupFolder {
  return { root, bases: join(root, "base"), wal: join(root, "wal") };
}

const baseJson = z.object({
  ended_at: z.iso.datetime(),
  timeline: z.int(),
  start: z.string(),
  end: z.string(),
});

/** Marks the base backup in a folder as finished. */
export async function finishBase({ folder, endedAt, timeline, start, end }: BaseBackup) {
  const told: z.infer<typeof baseJson> = {
    ended_at: endedAt.toISOString(),
    timeline,
    start: start.toString(),
    end: end.toString(),
  };
  await writeDurably(join(folder, CONTROL), `${JSON.stringify(told)}\n`);
}

/** The finished base backups, oldest first. */
export async function listBases({ bases }: BackupFolder): Promise<BaseBackup[]> {
  const entries = (await readdir(bases, { withFileTypes: true }).catch(except("ENOENT"))) ?? [];
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith("draft-"));
  const found = await Promise.all(
    names.map(async ({ name }) => {
      const folder = join(bases, name);
      const text = await readFile(join(folder, CONTROL), "utf8").catch(except("ENOENT"));
      if (text === undefined) return [];
      const { ended_at, timeline, start, end } = baseJson.parse(JSON.parse(text));
      return [{ folder, endedAt: new Date(ended_at), timeline, start: BigInt(start), end: BigInt(end) }];
    }),
  );
  return found.flat().sort((one, other) => one.endedAt.getTime() - other.endedAt.getTime());
}

/** The newest of these base backups. One from the future was taken while the clock was wrong. */
export function lastPast(bases: BaseBackup[], now = new Date()): BaseBackup | undefined {
  return bases.findLast(({ endedAt }) => endedAt <= now);
}

const ownerJson = z.object({
  system_identifier: z.string(),
  /** which timeline was written, from when on: a restore starts another */
  timelines: z.array(z.object({ timeline: z.int(), since: z.iso.datetime() })),
});

/** The database that a folder belongs to. */
export type BackupOwner = z.infer<typeof ownerJson>;

/** Reads which database a folder belongs to; undefined when it has no backups. */
export async function readOwner({ root }: BackupFolder): Promise<BackupOwner | undefined> {
  const text = await readFile(join(root, OWNER), "utf8").catch(except("ENOENT"));
  return text === undefined ? undefined : ownerJson.parse(JSON.parse(text));
}

/** The identifier that initdb gave a cluster, and all of its copies have. */
export async function systemIdentifier(data: string): Promise<string> {
  // pg_control begins with it.
  return (await readFile(join(data, "global/pg_control"))).readBigUInt64LE().toString();
}

/** The timeline that a stopped or running primary writes: each promotion leaves a history. */
export async function currentTimeline(data: string): Promise<number> {
  const names = await readdir(join(data, "pg_wal"));
  return Math.max(1, ...names.map((name) => Number.parseInt(HISTORY.exec(name)?.[1] ?? "1", 16)));
}

/**
 * Makes BACKUP_DIR ready for a cluster that is about to start, and notes the timeline that it writes.
 * @throws {StartError} when the folder cannot be used, or belongs to another database
 */
export async function claimBackupFolder(
  root: string,
  { home, data, account }: { home: string; data: string; account: Account | undefined },
): Promise<BackupFolder> {
  const folder = foldersOf(await makeFolders(root, home, account));
  const [identifier, timeline] = await Promise.all([systemIdentifier(data), currentTimeline(data)]);
  const owner = (await readOwner(folder)) ?? { system_identifier: identifier, timelines: [] };
  if (owner.system_identifier !== identifier) {
    throw new StartError(
      `BACKUP_DIR (${root}) contains the backups of another database than the one in ${data}. Set BACKUP_DIR to a folder of its own.`,
    );
  }
  if (timeline > 1) {
    // PostgreSQL archives it only if it archived at the moment of the promotion.
    const name = historyOf(timeline);
    await writeDurably(join(folder.wal, name), await readFile(join(data, "pg_wal", name)));
  }
  if (owner.timelines.at(-1)?.timeline !== timeline) {
    owner.timelines.push({ timeline, since: new Date().toISOString() });
    await writeDurably(join(root, OWNER), `${JSON.stringify(owner, null, 2)}\n`);
  }
  return folder;
}

async function makeFolders(given: string, home: string, account: Account | undefined): Promise<string> {
  try {
    await mkdir(given, { recursive: true, mode: 0o700 });
    const root = await realpath(given);
    const path = relative(home, root);
    if (!path.startsWith("..") && !isAbsolute(path)) {
      throw new StartError(`BACKUP_DIR (${given}) is inside DATA_DIR. Set it to a folder on another disk.`);
    }
    for (const path of [root, join(root, "base"), join(root, "wal")]) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      if (account) {
        await chown(path, account.uid, account.gid);
        await run("test", ["-w", path, "-a", "-x", path], { cwd: "/", env: environment, ...account });
      } else await access(path, constants.W_OK | constants.X_OK);
    }
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
