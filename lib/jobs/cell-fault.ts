import { excerpt } from "@/lib/json/excerpt";

/** What the cells of a column become. */
export const CELL_TYPES = ["string", "number", "boolean", "json"] as const;
export type CellType = (typeof CELL_TYPES)[number];

/** What a cell of a type is. */
export const CELL_NOUNS = { string: "text", number: "a number", boolean: "true or false", json: "JSON" };

/** The remark on a cell that is not of its column's type. */
export function cellFault(key: string, cell: string, type: CellType): string {
  return `${key} “${excerpt(cell.trim(), 12)}” is not ${CELL_NOUNS[type]}`;
}

/**
 * The properties of a row that cannot be read. The service takes no remark with a row, but it quotes a name that is
 * there twice, in its answer and in the report: so the remark, which has a curly quote, is that name.
 */
export function refusedProperties(remark: string): string {
  const name = JSON.stringify(remark);
  return `{${name}:0,${name}:0}`;
}

const REFUSAL = /^is not valid JSON: duplicate member name (".*“.*"), at line 1, column \d+$/s;

/** The remark in what the service says of such a row; undefined for any other message. */
export function remarkIn(message: string): string | undefined {
  const [, name] = REFUSAL.exec(message) ?? [];
  return name && JSON.parse(name);
}
