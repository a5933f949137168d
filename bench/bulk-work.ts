import { createReadStream, createWriteStream } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { print } from "./report";
import type { Stage } from "./stage";
import { callsTo, exportGroups, importFile } from "./transfers";

/** Rows of the import: half of them new groups, half changes. */
const IMPORTED = 100_000;

/** A piece of work on many rows. */
interface Work {
  what: string;
  seconds: number;
  rows: number;
  /** that it read or wrote, if that says something */
  bytes?: number;
}

/** Exports all groups, imports some, and dumps the database. */
export async function measureBulkWork(stage: Stage, groups: number): Promise<Work[]> {
  const { ours, database, folder } = stage;
  const done: Work[] = [];
  const measure = async (what: string, rows: number, work: () => Promise<number | undefined>) => {
    const start = performance.now();
    const bytes = await work();
    const seconds = (performance.now() - start) / 1_000;
    done.push({ what, seconds, rows, ...(bytes !== undefined && { bytes }) });
    print(`${what}: ${seconds.toFixed(1)} s`);
  };
  const call = await callsTo(ours.url);
  const exported = path.join(folder, "exported.jsonl");
  await measure("export", groups, async () => {
    const file = createWriteStream(exported);
    await pipeline(await exportGroups(call, "jsonl"), file);
    return file.bytesWritten;
  });
  const file = await importOf(exported);
  await importFile(call, file, (what, work) => measure(what, IMPORTED, async () => void print(await work())));
  await measure("dump", groups, () => dump(database));
  return done;
}

/** A file of the first exported groups: every second one has another name, the others another id. */
async function importOf(exported: string): Promise<Buffer> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(exported) })) {
    const group = JSON.parse(line) as { user_group_id: string; name: string };
    if (lines.length % 2 === 0) group.name = `${group.name.slice(0, 200)} II`;
    else group.user_group_id = `imported-${lines.length}`;
    lines.push(`${JSON.stringify(group)}\n`);
    if (lines.length === IMPORTED) break;
  }
  return Buffer.from(lines.join(""));
}

/** Reads every table as pg_dump does, and returns the bytes: no pg_dump of the embedded version is at hand. */
async function dump(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ name: string }>(
    "SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  let bytes = 0;
  for (const { name } of rows) {
    for await (const chunk of database.query(copyTo(`COPY ${name} TO STDOUT`))) bytes += (chunk as Buffer).length;
  }
  return bytes;
}
