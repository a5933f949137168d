import { rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Client, escapeLiteral, type QueryResult } from "pg";
import { Connection } from "@/lib/db/connection";
import { type Backup, draftIn, finishBackup, removeDrafts, systemIdentifier } from "@/lib/embedded/backup-folder";
import { syncFolder } from "@/lib/embedded/durable-file";
import { runningSuperuserUrl } from "@/lib/embedded/postgres";

/** The advisory lock of the process that takes a backup. */
const TAKING = "1970430068, 2";
const COPY_MS = 43_200_000;

/** A backup includes the WAL that makes it consistent; the slot keeps PostgreSQL from removing that WAL meanwhile. */
const SLOT = "CREATE_REPLICATION_SLOT user_groups_backup TEMPORARY PHYSICAL RESERVE_WAL";
const OPTIONS = [
  "LABEL 'user-group-service'",
  "CHECKPOINT 'fast', WAL true, WAIT false, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256', TARGET 'server'",
].join(", ");

/**
 * Takes a base backup of the running embedded database; undefined when another process is taking one.
 * PostgreSQL itself writes it, with checksums, into a draft that counts only once it is on disk.
 */
export async function takeBackup(dataDir: string, root: string): Promise<Backup | undefined> {
  const url = new URL(await runningSuperuserUrl(dataDir));
  url.searchParams.set("replication", "database");
  const client = new Connection({
    connectionString: url.href,
    application_name: "user-group-service backup",
    connectionTimeoutMillis: 10_000,
    query_timeout: COPY_MS,
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ mine: boolean; now: Date }>(
      `SELECT pg_try_advisory_lock(${TAKING}) AS mine, clock_timestamp() AS now`,
    );
    const [{ mine, now } = { mine: false, now: new Date() }] = rows;
    if (!mine) return undefined;
    return await takeAlone(client, { root, at: now, systemIdentifier: await systemIdentifier(dataDir) });
  } finally {
    client.end().catch(() => undefined);
  }
}

async function takeAlone(
  client: Client,
  { root, at, systemIdentifier }: Omit<Backup, "folder"> & { root: string },
): Promise<Backup> {
  await removeDrafts(root);
  const draft = draftIn(root);
  try {
    await client.query(SLOT);
    // Several results: the start, the tablespaces, the end.
    const answer = (await client.query(
      `BASE_BACKUP (${OPTIONS}, TARGET_DETAIL ${escapeLiteral(draft)})`,
    )) as unknown as QueryResult[];
    if (answer[1]?.rows.some(({ spcoid }) => spcoid !== null)) {
      throw new Error("the database has tablespaces of its own, which a base backup does not include");
    }
    await finishBackup({ folder: draft, at, systemIdentifier });
    const folder = join(root, at.toISOString().replaceAll(":", "-"));
    await rename(draft, folder);
    await syncFolder(root);
    return { folder, at, systemIdentifier };
  } catch (error) {
    // A failed draft may have filled the disk.
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** The size in bytes of a backup. */
export async function sizeOf({ folder }: Backup): Promise<number> {
  return (await stat(join(folder, "base.tar"))).size;
}
