import { setImmediate as nextTurn } from "node:timers/promises";
import type { FieldIssue } from "@/lib/errors";
import { type GroupRequest, groupRequest, MAX_CHARACTERS } from "@/lib/groups/schema";
import { JobError, type RawRow, readCsv, readLines } from "@/lib/jobs/lines";
import { IGNORED_FIELDS, MAX_ROWS } from "@/lib/jobs/schema";
import { unguard } from "@/lib/json/csv";
import { excerpt } from "@/lib/json/excerpt";
import { checkFields, unknownField } from "@/lib/json/fields";
import { JsonError, parseMembers, parseValue } from "@/lib/json/json";
import { isObject } from "@/lib/json/raw-json";

/** A file's row: a group, or the errors in it. */
export type FileRow = { line: number } & (
  | { fields: GroupRequest; issues?: undefined }
  | { fields?: undefined; providedId: string | undefined; issues: FieldIssue[] }
);

const FIELDS = Object.keys(groupRequest.shape);
const JSON_FIELDS = new Set(["mapping", "properties"]);
/** More UTF-16 units than an id can have: an id cut to this length is still refused as too long. */
const LONGEST_ID = 2 * MAX_CHARACTERS + 2;
/** The most bytes of a JSON line, like a body of the API. */
const LONGEST_LINE = 262_144;
/** Yields to the event loop after this many rows, because reading the rows of one piece awaits nothing. */
const ROWS_A_TURN = 500;

/**
 * Reads a CSV or JSON Lines file row by row, each as the API would read it.
 * @throws {JobError} when it cannot be read further
 */
export async function* readFile(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<FileRow> {
  const texts = decode(pieces);
  const { value: first = "" } = await texts.next();
  const start = first.trimStart();
  if (start.startsWith("[")) {
    throw new JobError("The file is a JSON array. Write JSON lines: one object on each line, without commas between.");
  }
  const whole = prepend(first, texts);
  if (!start.startsWith("{")) yield* readTable(counted(readCsv(whole), MAX_ROWS + 1));
  else for await (const row of counted(readLines(whole), MAX_ROWS)) if (!isBlank(row)) yield readLine(row);
}

/** Refuses a file with more rows, including blank ones: a file may contain nothing else. A CSV has a header too. */
async function* counted(rows: AsyncGenerator<RawRow>, most: number): AsyncGenerator<RawRow> {
  let count = 0;
  for await (const row of rows) {
    if (++count > most) {
      throw new JobError(
        `The file has more than ${MAX_ROWS.toLocaleString("en")} rows, including blank ones. Split it.`,
      );
    }
    if (count % ROWS_A_TURN === 0) await nextTurn();
    yield row;
  }
}

function isBlank({ cells }: RawRow): boolean {
  return cells.every((cell) => cell.trim() === "");
}

async function* prepend(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

async function* decode(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let line = 1;
  try {
    for await (const piece of pieces) {
      const text = utf8.decode(piece, { stream: true });
      // PostgreSQL text cannot contain NUL.
      if (text.includes("\0")) {
        throw new JobError("The file contains NUL characters, as UTF-16 files do. Save it as UTF-8.");
      }
      yield text;
      line += text.split("\n").length - 1;
    }
    yield utf8.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new JobError(`The file is not UTF-8, at line ${line} or shortly after. Save it as UTF-8.`);
  }
}

function readLine({ line, cells: [text = ""] }: RawRow): FileRow {
  const refuse = (message: string): FileRow => ({ line, providedId: undefined, issues: [{ path: [], message }] });
  if (text.length > LONGEST_LINE) return refuse("the line exceeds 256 KiB");
  try {
    const members = parseMembers(text);
    if (!isObject(members)) return refuse("the line must be a JSON object");
    for (const name of IGNORED_FIELDS) delete members[name];
    return checkRow(line, members, []);
  } catch (error) {
    if (error instanceof JsonError) return refuse(`${error.reason}, at character ${error.place.offset + 1}`);
    throw error;
  }
}

async function* readTable(rows: AsyncGenerator<RawRow>): AsyncGenerator<FileRow> {
  let head: string[] | undefined;
  for await (const row of rows) {
    const { line, cells, fault } = row;
    if (isBlank(row)) continue;
    if (!head) {
      head = readHead(cells);
      continue;
    }
    const message = fault ?? strayValue(head, cells);
    if (message) yield { line, providedId: undefined, issues: [{ path: [], message: `unreadable row: ${message}` }] };
    else yield readCells(line, head, cells);
  }
}

function readHead(cells: string[]): string[] {
  const head = cells.map((cell) => cell.trim());
  const known = [...FIELDS, ...IGNORED_FIELDS];
  const named = head.filter((name) => name !== "");
  for (const name of named) {
    if (!known.includes(name)) throw new JobError(`The column “${name.slice(0, 100)}” ${unknownField(name, known)}.`);
  }
  const twice = named.find((name, index) => named.indexOf(name) < index);
  if (twice) throw new JobError(`The first line names the column “${twice}” twice.`);
  if (!head.includes("user_group_id")) throw new JobError("The first line must name a user_group_id column.");
  return head;
}

/**
 * The error in a row with a value in a column that the first line does not name. Blank cells there are fine:
 * spreadsheets save blank columns too.
 */
function strayValue(head: string[], cells: string[]): string | undefined {
  const index = cells.findIndex((cell, at) => !head[at] && cell.trim() !== "");
  if (index < 0) return undefined;
  return (
    `has “${excerpt(cells[index] ?? "", 40)}” in column ${columnLetters(index)}, which ` +
    "the first line does not name"
  );
}

/** A column's name in a spreadsheet, from its index: A to Z, AA, AB, … */
function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

/** A blank cell is an omitted field. */
function readCells(line: number, head: string[], cells: string[]): FileRow {
  const members: Record<string, unknown> = {};
  const issues: FieldIssue[] = [];
  for (const [index, name] of head.entries()) {
    const value = unguard(cells[index] ?? "");
    if (value === "" || name === "" || IGNORED_FIELDS.includes(name)) continue;
    try {
      members[name] = JSON_FIELDS.has(name) ? parseValue(value) : value;
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      issues.push({ path: [name], message: `is not valid JSON: ${error.message}` });
    }
  }
  return checkRow(line, members, issues);
}

function checkRow(line: number, members: Record<string, unknown>, issues: FieldIssue[]): FileRow {
  const { value: fields, issues: more = [] } = checkFields(members, groupRequest);
  if (fields && issues.length === 0) return { line, fields };
  const id = members.user_group_id;
  return {
    line,
    providedId: typeof id === "string" ? id.slice(0, LONGEST_ID) : undefined,
    issues: [...issues, ...more],
  };
}
