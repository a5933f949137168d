import { type FileHandle, open, rename, writeFile } from "node:fs/promises";
import type { ClientBase } from "pg";
import { env } from "@/lib/config/env";
import { perProcess } from "@/lib/config/per-process";
import { afterCommit } from "@/lib/db/after-commit";
import { StartError, unavailable } from "@/lib/errors";
import { log } from "@/lib/telemetry/log";

// ENDED_TOKENS_FILE: one line for each token that ended or works again, outside of the database. A token appears as its keyed hash.

/** The records to read, and to keep of twice as many at a start: 12 MB. */
const MOST_RECORDS = 250_000;

/** What became of a token. */
export interface TokenRecord {
  /** its keyed hash */
  tokenIndex: Buffer;
  /** when it ends, in milliseconds since 1970; 0 for now, undefined where it works again */
  ends: number | undefined;
  /** the time of the change, as the history has it: in milliseconds since 1970, by the database's clock */
  at: number;
}

const LINE = /^([\w-]{43}) (\d{1,15}|again) (\d{1,15})$/;

interface Waiting {
  lines: string;
  resolve(): void;
  reject(error: unknown): void;
}

interface Journal {
  file: Promise<FileHandle> | undefined;
  waiting: Waiting[];
  isWriting: boolean;
  /** the last attempt to write failed: changes that end tokens are refused until one succeeds */
  isBroken: boolean;
  /** lines that failed attempts were to write */
  owed: string;
}

const journal = perProcess<Journal>("ended tokens", () => ({
  file: undefined,
  waiting: [],
  isWriting: false,
  isBroken: false,
  owed: "",
}));

/** Whether ended tokens are recorded outside of the database. */
export function hasJournal(): boolean {
  return env().ENDED_TOKENS_FILE !== undefined;
}

/**
 * Refuses a change that ends a token while that could not be recorded.
 * @throws {AppError} `unavailable`
 */
export async function requireJournal() {
  if (!journal.isBroken) return;
  // An empty line shows whether it can be written again.
  await append("").catch((error: unknown) => {
    throw unavailable(error, "Nothing was changed: ENDED_TOKENS_FILE cannot be written.");
  });
}

/**
 * Records what became of tokens; resolves once that is on disk. On `client` it waits for the end of its transaction. Concurrent callers
 * share a write and its fsync.
 * @throws {AppError} `unavailable` when it cannot be written: the change was made
 */
export async function recordTokens(records: TokenRecord[], client?: ClientBase) {
  if (records.length === 0 || !hasJournal()) return;
  await afterCommit(client, () => write(records));
}

async function write(records: TokenRecord[]) {
  const lines = records.map(
    ({ tokenIndex, ends, at }) => `${tokenIndex.toString("base64url")} ${ends ?? "again"} ${at}\n`,
  );
  await append(lines.join("")).catch((err: unknown) => {
    log().error({ err }, "ENDED_TOKENS_FILE cannot be written: changes that end tokens are refused until it can");
    throw unavailable(err, "The change was made, but ENDED_TOKENS_FILE cannot be written.");
  });
}

function append(lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    journal.waiting.push({ lines, resolve, reject });
    void writeWaiting();
  });
}

async function writeWaiting() {
  if (journal.isWriting) return;
  journal.isWriting = true;
  while (journal.waiting.length > 0) {
    const shared = journal.waiting.splice(0);
    journal.owed += shared.map(({ lines }) => lines).join("");
    try {
      journal.file ??= open(env().ENDED_TOKENS_FILE ?? "", "a", 0o600);
      const file = await journal.file;
      // In one write, which other processes' do not split. It starts a line: the last one may be torn.
      const bytes = Buffer.from(`\n${journal.owed}`);
      const { bytesWritten } = await file.write(bytes);
      if (bytesWritten < bytes.length) throw new Error("only a part was written");
      await file.datasync();
      journal.isBroken = false;
      journal.owed = "";
      for (const { resolve } of shared) resolve();
    } catch (error) {
      journal.isBroken = true;
      const file = journal.file;
      journal.file = undefined;
      void file?.then((opened) => opened.close()).catch(() => undefined);
      for (const { reject } of shared) reject(error);
    }
  }
  journal.isWriting = false;
}

/** The complete lines of the file, the oldest first. A torn one is skipped. */
async function* readLines(): AsyncGenerator<RegExpExecArray> {
  const file = await open(env().ENDED_TOKENS_FILE ?? "");
  for await (const line of file.readLines()) {
    const found = LINE.exec(line);
    if (found) yield found;
  }
}

/** The last record of each token, of the last ones in the file. */
export async function readJournal(): Promise<Map<string, TokenRecord>> {
  const records = new Map<string, TokenRecord>();
  for await (const [, index = "", ends, at] of readLines()) {
    const tokenIndex = Buffer.from(index, "base64url");
    // Deleted first: a map has its oldest entry in front.
    records.delete(index);
    for (const oldest of records.keys()) {
      if (records.size < MOST_RECORDS) break;
      records.delete(oldest);
    }
    records.set(index, { tokenIndex, ends: ends === "again" ? undefined : Number(ends), at: Number(at) });
  }
  return records;
}

/**
 * Creates the file, and shortens one that is too long, before anything else writes to it.
 * @throws {StartError} when it cannot be written
 */
export async function openJournal() {
  const path = env().ENDED_TOKENS_FILE;
  if (path === undefined) return;
  try {
    await (await open(path, "a", 0o600)).close();
    let lines: string[] = [];
    let isTooLong = false;
    for await (const [line] of readLines()) {
      if (lines.push(line) < 2 * MOST_RECORDS) continue;
      lines = lines.slice(-MOST_RECORDS);
      isTooLong = true;
    }
    if (!isTooLong) return;
    await writeFile(`${path}.new`, `${lines.join("\n")}\n`, { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
  } catch (error) {
    throw new StartError(`ENDED_TOKENS_FILE cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
