import { fstatSync, fsyncSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { HistoryRow } from "@/lib/audit/entries";
import { callersPath, runCommand, writeOut } from "@/lib/cli/command";
import { writeDurably } from "@/lib/embedded/durable-file";
import { except } from "@/lib/embedded/process";
import { AppError, StartError } from "@/lib/errors";
import { type Place, parsePlace, START, writtenPlace } from "@/lib/events/place";
import { serializeRecord } from "@/lib/events/serialize";
import { readWholeFeed, type WholeFeedPart } from "@/lib/events/whole-feed";
import { writeJson } from "@/lib/json/raw-json";
import { printNotice } from "@/lib/telemetry/log";

const USAGE = `Usage:  ./user-groups events [--follow] [--cursor-file FILE]
Prints the history of all environments and of the service itself, a JSON line for each entry, oldest first.
FILE stores the position, where the next run continues: after a crash entries can repeat, but none is lost.
--follow continues with new entries, until it is stopped.`;

const POLL_MS = 1_000;

const stopping = new AbortController();
const STDOUT = 1;

let wasAway = false;
let hasWritten = false;

await runCommand({
  usage: USAGE,
  parse() {
    const { values } = parseArgs({
      options: { follow: { type: "boolean", default: false }, "cursor-file": { type: "string" } },
    });
    const file = values["cursor-file"];
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopping.abort());
    return () => print(file === undefined ? undefined : callersPath(file), values.follow);
  },
});

async function print(file: string | undefined, follows: boolean): Promise<string> {
  let place = file === undefined ? START : await readCursor(file);
  let wasCut = false;
  while (!stopping.signal.aborted) {
    const part = await readPart(place, { file, follows });
    if (part?.isCut && place.at !== START.at && !wasCut)
      printNotice("HISTORY_KEPT dropped entries before they were printed.");
    wasCut = part?.isCut ?? wasCut;
    if (part && part.rows.length > 0) {
      await write(part.rows);
      place = part.place;
      if (file !== undefined) await writeDurably(file, `${JSON.stringify(writtenPlace(place))}\n`);
    } else if (!follows) break;
    else await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
  return "";
}

/** The entries after a place; undefined when following them while the database is unavailable. */
async function readPart(
  place: Place,
  { file, follows }: { file: string | undefined; follows: boolean },
): Promise<WholeFeedPart | undefined> {
  try {
    const part = await readWholeFeed(place);
    wasAway = false;
    return part;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === "cursor_gone") {
      throw new StartError(
        `The entry at the position in ${file} is gone: a failover or a restored backup lost it. ` +
          "Delete the file to print the whole history again.",
        { cause: error },
      );
    }
    if (!follows || error.code !== "unavailable") throw error;
    if (!wasAway) printNotice("The database is unavailable. Retrying every second.");
    wasAway = true;
    return undefined;
  }
}

async function readCursor(file: string): Promise<Place> {
  const text = await readFile(file, "utf8")
    .catch(except("ENOENT"))
    .catch((cause: Error) => {
      throw new StartError(`${file} cannot be read (${cause.message}). Name another file.`, { cause });
    });
  if (text === undefined) return START;
  const place = parsePlace(text);
  if (!place) throw new StartError(`${file} contains no position written by this command. Name another file.`);
  return place;
}

/** Resolves once stdout's reader has the lines, or, if stdout is a file, the disk. */
async function write(rows: HistoryRow[]) {
  const output = fstatSync(STDOUT);
  // A killed run may have left an unfinished line.
  const begin = !hasWritten && output.isFile() && output.size > 0 ? "\n" : "";
  hasWritten = true;
  const lines = begin + rows.map((row) => `${writeJson(serializeRecord(row))}\n`).join("");
  await writeOut(lines);
  if (output.isFile()) fsyncSync(STDOUT);
}
