import { excerpt } from "@/lib/json/excerpt";

/** The JSON types that a column's cells can become. */
export const CELL_TYPES = ["string", "number", "boolean", "json"] as const;
export type CellType = (typeof CELL_TYPES)[number];

/** Each type in words. */
export const CELL_NOUNS = { string: "text", number: "a number", boolean: "true or false", json: "JSON" };

/** The remark on a cell that is not of its column's type. */
export function cellFault(key: string, cell: string, type: CellType): string {
  return `${key} “${excerpt(cell.trim(), 12)}” is not ${CELL_NOUNS[type]}`;
}

/**
 * The properties of a row that cannot be read. A row has no field for a remark, but the service quotes a duplicate name
 * in its answer and in the report, so the remark is sent as that name; a curly quote marks it.
 */
export function refusedProperties(remark: string): string {
  const name = JSON.stringify(remark);
  return `{${name}:0,${name}:0}`;
}

const REFUSAL = /^is not valid JSON: duplicate member name (".*“.*"), at line 1, column \d+$/s;

/** The remark in the service's message about such a row; undefined for any other message. */
export function remarkIn(message: string): string | undefined {
  const [, name] = REFUSAL.exec(message) ?? [];
  return name && JSON.parse(name);
}
