import { z } from "zod";
import { groupRequest } from "@/lib/groups/schema";
import { CELL_TYPES, type CellType, cellFault, refusedProperties } from "@/lib/jobs/cell-fault";
import { type RawRow, readCsv } from "@/lib/jobs/lines";
import { IGNORED_FIELDS, MAX_ROWS } from "@/lib/jobs/schema";
import { unguard, writeCsv } from "@/lib/json/csv";
import { checkValue } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";

// Converts a table with other columns to a file that the service reads. In the browser: the service has one format.

/** A column of a table. */
export interface ForeignColumn {
  /** of its cell in each row */
  index: number;
  name: string;
}

/** A table with other columns than the service's. */
export interface ForeignTable {
  /** the file's */
  name: string;
  encoding: string;
  columns: ForeignColumn[];
  /** the line of the columns' names */
  headLine: number;
  rows: RawRow[];
}

/** What a column's cells become. The key is a property's name or a schema's id. */
export const columnTarget = z.strictObject({
  to: z.enum(["id", "name", "property", "schema", "nothing"]),
  key: z.string(),
  type: z.enum(CELL_TYPES),
});
export type ColumnTarget = z.infer<typeof columnTarget>;

/** The columns that the service knows in a file. */
export const OWN_COLUMNS = [...Object.keys(groupRequest.shape), ...IGNORED_FIELDS];
/** Characters to parse before the browser may draw. */
const PIECE = 262_144;

/**
 * Reads a table; undefined for a file that the service reads, or refuses, without conversion.
 * @throws {JobError} when it cannot be read further
 */
export async function readForeignTable(file: File): Promise<ForeignTable | undefined> {
  const { text, encoding } = decode(await file.arrayBuffer());
  if (/^\s*[{[]/.test(text) || text.includes("\0")) return undefined;
  let head: RawRow | undefined;
  const rows: RawRow[] = [];
  for await (const { cells: texts, ...row } of readCsv(inPieces(text))) {
    const cells = texts.map(unguard);
    if (cells.every((cell) => cell.trim() === "")) continue;
    if (head) rows.push({ ...row, cells });
    else head = { ...row, cells: cells.map((cell) => cell.trim()) };
    // In another encoding, the service refuses it; as a foreign table, it would lose these columns.
    const hasObjects = head.cells.includes("mapping") || head.cells.includes("properties");
    if ((encoding === "UTF-8" || hasObjects) && isOwn(head.cells)) return undefined;
  }
  if (!head || rows.length === 0) return undefined;
  const columns = columnsOf(head.cells, rows);
  return { name: file.name, encoding, columns, headLine: head.line, rows };
}

function decode(bytes: ArrayBuffer): { text: string; encoding: string } {
  const [first, second] = new Uint8Array(bytes);
  const isUtf16 = first === 0xff && second === 0xfe;
  try {
    const encoding = isUtf16 ? "UTF-16" : "UTF-8";
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes), encoding };
  } catch {
    // Excel's CSV encoding.
    return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "Windows-1252" };
  }
}

async function* inPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += PIECE) {
    yield text.slice(at, at + PIECE);
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function isOwn(names: string[]): boolean {
  return names.includes("user_group_id") && names.every((name) => name === "" || OWN_COLUMNS.includes(name));
}

/** The columns with a name or a value: spreadsheets save blank columns too. */
function columnsOf(names: string[], rows: RawRow[]): ForeignColumn[] {
  const hasValue: boolean[] = names.map((name) => name !== "");
  for (const { cells } of rows) {
    for (const [index, cell] of cells.entries()) hasValue[index] ||= cell.trim() !== "";
  }
  return [...hasValue.keys()]
    .filter((index) => hasValue[index])
    .map((index) => ({ index, name: names[index] || `Column ${index + 1}` }));
}

/** A column's value in a row; empty if it is only white space. */
export function cellIn({ cells }: RawRow, { index }: ForeignColumn): string {
  const cell = cells[index] ?? "";
  return cell.trim() === "" ? "" : cell;
}

/** A cell as JSON text; undefined if it is not of the type. */
export function literalOf(cell: string, type: CellType): string | undefined {
  if (type === "string") return JSON.stringify(cell);
  const text = cell.trim();
  if (type === "boolean") return /^(true|false)$/i.test(text) ? text.toLowerCase() : undefined;
  const { value, errors } = checkValue(text);
  if (value === undefined || errors.length > 0 || (type === "number" && typeof value !== "number")) return undefined;
  return value instanceof RawJson ? value.text : text;
}

interface Writing {
  /** for the table's columns, in their order */
  targets: ColumnTarget[];
  /** whether a blank cell removes its value, rather than keeping it */
  removesBlank: boolean;
}

/** Writes a table as the service merges it, with each row on its original line. */
export function writeTable(table: ForeignTable, { targets, removesBlank }: Writing): string[] {
  const columnsTo = (to: ColumnTarget["to"]) =>
    table.columns.flatMap((column, at) => (targets[at]?.to === to ? [{ ...targets[at], ...column }] : []));
  const [[id], [name]] = [columnsTo("id"), columnsTo("name")];
  const [schemas, properties] = [columnsTo("schema"), columnsTo("property")];
  // With line breaks in cells, a table can have more lines than the service reads.
  const hasLines = (table.rows.at(-1)?.line ?? 0) <= MAX_ROWS;
  const parts: string[] = [];
  let next = 1;
  const write = (line: number, cells: string[]) => {
    const text = writeCsv([cells]);
    parts.push("\r\n".repeat(hasLines ? Math.max(0, line - next) : 0), text);
    next = line + text.split(/\r\n|\r|\n/).length - 1;
  };
  write(table.headLine, Object.keys(groupRequest.shape));
  for (const row of table.rows) {
    if (row.fault) {
      write(row.line, ["", "", "", refusedProperties("“Unbalanced quotes” in this row")]);
      continue;
    }
    const providedId = id ? cellIn(row, id).trim() : "";
    const called = name ? cellIn(row, name).trim().replace(/\s+/g, " ") : "";
    const patch = (columns: Mapped[]) => patchOf(row, columns, removesBlank);
    write(row.line, [providedId, called, patch(schemas), patch(properties)]);
  }
  return parts;
}

type Mapped = ForeignColumn & ColumnTarget;

/** The text of a patch with a row's values; empty if they change nothing. */
function patchOf(row: RawRow, columns: Mapped[], removesBlank: boolean) {
  const members: string[] = [];
  for (const column of columns) {
    const cell = cellIn(row, column);
    if (cell === "" && !removesBlank) continue;
    const text = cell === "" ? "null" : literalOf(cell, column.type);
    if (text === undefined) return refusedProperties(cellFault(column.key, cell, column.type));
    members.push(`${JSON.stringify(column.key)}:${text}`);
  }
  return members.length > 0 ? `{${members.join(",")}}` : "";
}
