import { randomUUID } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { environmentsIn, type HistoryRow } from "@/lib/audit/entries";
import { env } from "@/lib/config/env";
import { claiming, holding } from "@/lib/db/lease";
import { type Statement, write } from "@/lib/db/pool";
import { StartError } from "@/lib/errors";
import { readEntries, reading, type Settled } from "@/lib/events/feed";
import { SETTLED } from "@/lib/events/place";
import { serializeEvent } from "@/lib/events/serialize";
import { writeJson } from "@/lib/json/raw-json";
import { BLOCK, log, writeToLog } from "@/lib/telemetry/log";

// AUDIT_LOG: all environments' entries as JSON lines, in the order of the feed. One process of all instances writes: it holds a lease, and
// notes how far it is once the lines are written. Its place is read from the database each time: a failover or a restored backup that
// lost entries has an earlier place too.

/** How old a lease may get before it is renewed, in milliseconds. */
const RENEW_MS = 3_000;
const MOST_ENTRIES = 500;

const worker = randomUUID();
/** The id of the only row. */
const READER = 1;

const BEGIN: Statement = {
  name: "begin_audit_log",
  text: `INSERT INTO audit_log_reader (epoch, xid, entry_id) SELECT epoch, oldest, 0 FROM (${SETTLED}) AS settled ON CONFLICT DO NOTHING`,
};
const CLAIM = claiming({ table: "audit_log_reader", where: "true", order: "id", most: "1" });
/** $3 to $5 is the new place, $6 to $8 the one that was read from. */
const ADVANCE = holding({
  table: "audit_log_reader",
  where: "(epoch, xid, entry_id) = ($6, $7, $8)",
  set: "(epoch, xid, entry_id) = ($3, $4, $5)",
});

const AFTER = "(epoch, xid, id) > ($1, $2, $3) AND (epoch, xid) < ($4, $5) ORDER BY epoch, xid, id LIMIT $6";
// No index has the order of all environments: the next ones of each are merged.
const FOLLOWING = `
  WITH RECURSIVE ${environmentsIn("audit_entry")}
  SELECT id, at FROM (
    SELECT own.* FROM known
    CROSS JOIN LATERAL (SELECT epoch, xid, id, at FROM audit_entry WHERE environment_id = known.environment_id AND ${AFTER}) AS own
    UNION ALL
    SELECT * FROM (SELECT epoch, xid, id, at FROM audit_entry WHERE environment_id IS NULL AND ${AFTER}) AS of_none
  ) AS following
  ORDER BY epoch, xid, id LIMIT $6`;

interface ReaderPlace {
  epoch: number;
  xid: string;
  entry_id: string;
}

let isBegun = false;
let claimedAt = -Infinity;
let hasToldOfLoss = false;

/** Writes the entries that follow, until none is left or the process stops, if no other process does. */
export async function writeAuditLog(isToStop: () => boolean) {
  if (!isBegun) {
    await write(BEGIN, []);
    isBegun = true;
  }
  while (!isToStop() && (await holdLease())) {
    const batch = await reading(readBatch);
    const last = batch?.rows.at(-1);
    if (!batch || !last) return;
    await append(batch.rows);
    const { epoch, xid, entry_id } = batch.from;
    const advanced = await write(ADVANCE, [READER, worker, last.epoch, last.xid, last.id, epoch, xid, entry_id]);
    if (advanced.length === 0) return;
  }
}

async function holdLease(): Promise<boolean> {
  const now = performance.now();
  if (now - claimedAt < RENEW_MS) return true;
  if ((await write(CLAIM, [worker])).length === 0) return false;
  claimedAt = now;
  return true;
}

async function readBatch(client: pg.PoolClient, { epoch, oldest }: Settled) {
  const { rows } = await client.query<ReaderPlace & { lost: boolean }>(
    `SELECT epoch, xid, entry_id, EXISTS (SELECT FROM history_dropped d WHERE (d.epoch, d.xid, d.id) > (r.epoch, r.xid, r.entry_id)) AS lost
     FROM audit_log_reader r WHERE leased_by = $1 AND leased_until > now()`,
    [worker],
  );
  const [from] = rows;
  if (!from) return undefined;
  if (from.lost && !hasToldOfLoss) {
    log().error("entries were dropped, as HISTORY_KEPT says, before AUDIT_LOG was written");
    hasToldOfLoss = true;
  }
  const values = [from.epoch, from.xid, from.entry_id, epoch, oldest, MOST_ENTRIES];
  const { rows: places } = await client.query<{ id: string; at: Date }>(FOLLOWING, values);
  return { from, rows: await readEntries(client, places) };
}

async function append(rows: HistoryRow[]) {
  const { AUDIT_LOG: to } = env();
  if (to === undefined) return;
  if (to !== "stdout") return appendToFile(to, rows.map((row) => `${writeJson(recordOf(row))}\n`).join(""));
  let block = "";
  for (const row of rows) {
    const line = lineOf(row);
    if (Buffer.byteLength(block) + Buffer.byteLength(line) > BLOCK) {
      await writeToLog(block);
      block = "";
    }
    block += line;
  }
  await writeToLog(block);
}

/** A line for stdout, which fits into a block. */
function lineOf(row: HistoryRow): string {
  const record = recordOf(row);
  const line = `${writeJson({ audit: record })}\n`;
  if (Buffer.byteLength(line) <= BLOCK) return line;
  const { before, after, ...rest } = record;
  return `${writeJson({ audit: { ...rest, has_states: false } })}\n`;
}

function recordOf(row: HistoryRow) {
  const { data, ...event } = serializeEvent(row, true);
  return { ...event, environment: row.environment, ...data };
}

/** Opened each time, as it may have been renamed; on disk when this resolves. */
async function appendToFile(name: string, lines: string) {
  const file = await openRegular(name);
  try {
    const { size } = await file.stat();
    await file.appendFile((await isTorn(file, size)) ? `\n${lines}` : lines);
    await file.sync();
    if (size === 0) await syncFolder(path.dirname(name));
  } finally {
    await file.close();
  }
}

/** Opens a file, or creates it. Pipes and devices cannot be flushed: every line would be written over and over. */
async function openRegular(name: string): Promise<FileHandle> {
  const file = await open(name, "a+", 0o600);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(`${name} is not a regular file; for stdout, set AUDIT_LOG=stdout`);
}

/** Whether the last line of a file has no end: its writer was killed. */
async function isTorn(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 });
  return buffer.toString() !== "\n";
}

/** Puts a new file's name on disk. */
async function syncFolder(name: string) {
  const folder = await open(name);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * Creates the file, if one is configured.
 * @throws {StartError} when it cannot be written
 */
export async function openAuditLog() {
  const { AUDIT_LOG: to } = env();
  if (to === undefined || to === "stdout") return;
  try {
    await (await openRegular(to)).close();
  } catch (error) {
    throw new StartError(`AUDIT_LOG cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
