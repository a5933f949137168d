import { randomUUID } from "node:crypto";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Client, escapeLiteral, type QueryResult } from "pg";
import { type BackupFolder, type BaseBackup, finishBase, positionOf, segmentOf } from "@/lib/db/backup-folder";
import { Connection } from "@/lib/db/connection";
import { syncFolder } from "@/lib/db/durable-file";
import { runningSuperuserUrl } from "@/lib/db/embedded";
import { until } from "@/lib/db/embedded-process";

/** The advisory lock of the process that takes a base backup. */
const TAKING = "1970430068, 2";
/** In milliseconds: the copy itself, and the archiving of the log that it needs. */
const COPY_MS = 43_200_000;
const ARCHIVE_MS = 180_000;

interface Position {
  recptr: string;
  tli: string;
}

/**
 * Takes a base backup of the running embedded database; undefined when another process is taking one.
 * PostgreSQL itself writes it, with checksums, into a draft that counts only once it and the log it needs are on disk.
 */
export async function takeBackup(dataDir: string, folder: BackupFolder): Promise<BaseBackup | undefined> {
  const url = new URL(await runningSuperuserUrl(dataDir));
  url.searchParams.set("replication", "database");
  const client = new Connection({
    connectionString: url.href,
    application_name: "user-group-service backup",
    connectionTimeoutMillis: 10_000,
    query_timeout: COPY_MS,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT pg_try_advisory_lock(${TAKING}) AS mine`);
    return rows[0]?.mine ? await takeAlone(client, folder) : undefined;
  } finally {
    client.end().catch(() => undefined);
  }
}

async function takeAlone(client: Client, { bases, wal }: BackupFolder): Promise<BaseBackup> {
  for (const name of await readdir(bases)) {
    if (name.startsWith("draft-")) await rm(join(bases, name), { recursive: true, force: true });
  }
  const draft = join(bases, `draft-${randomUUID()}`);
  try {
    const { start, end, timeline } = await copyInto(client, draft);
    const { rows } = await client.query<{ now: Date }>("SELECT clock_timestamp() AS now");
    // Dates have milliseconds: the next one is surely later than the end.
    const endedAt = new Date((rows[0]?.now ?? new Date()).getTime() + 1);
    await awaitArchiving(wal, segmentOf(timeline, end - 1n));
    await finishBase({ folder: draft, endedAt, timeline, start, end });
    const target = join(bases, endedAt.toISOString().replaceAll(":", "-"));
    await rename(draft, target);
    await syncFolder(bases);
    return { folder: target, endedAt, timeline, start, end };
  } catch (error) {
    // Otherwise it would keep the disk full that it has filled.
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function copyInto(client: Client, draft: string) {
  const options = [
    "LABEL 'user-group-service'",
    `TARGET 'server', TARGET_DETAIL ${escapeLiteral(draft)}`,
    "CHECKPOINT 'fast', WAIT false, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256'",
  ];
  // Several results: the start, the tablespaces, the end.
  const answer = (await client.query(`BASE_BACKUP (${options.join(", ")})`)) as unknown as QueryResult[];
  const [start, tablespaces, end] = answer.map(({ rows }) => rows);
  const [first, last] = [start?.[0], end?.[0]] as (Position | undefined)[];
  if (!first || !last) throw new Error("PostgreSQL did not say which part of its log the base backup needs");
  if (tablespaces?.some(({ spcoid }) => spcoid !== null)) {
    throw new Error("the database has tablespaces of its own, which a base backup does not include");
  }
  return { start: positionOf(first.recptr), end: positionOf(last.recptr), timeline: Number(last.tli) };
}

async function awaitArchiving(wal: string, segment: string) {
  const isThere = async () => {
    const found = await Promise.all([segment, `${segment}.gz`].map((name) => stat(join(wal, name)).catch(() => null)));
    return found.some(Boolean);
  };
  if (await until(isThere, ARCHIVE_MS)) return;
  throw new Error(`the log of the base backup (${segment}) was not archived within ${ARCHIVE_MS / 60_000} minutes`);
}

/** The size in bytes of a base backup. */
export async function sizeOf({ folder }: BaseBackup): Promise<number> {
  return (await stat(join(folder, "base.tar"))).size;
}
