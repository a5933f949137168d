import Papa from "papaparse";

/** Characters that start a formula in a spreadsheet (OWASP, CSV injection). */
const FORMULA = "[=+\\-@\\t\\r\\n＝＋－＠]";
/**
 * Where a cell may begin in a spreadsheet that splits at semicolons or tabs. There, quotes do not protect a value,
 * because they do not follow the separator. Quotes, apostrophes and spaces before a formula are skipped.
 */
const CELL_START = "(?<=^|[;\\t\\r\\n])";
const NEEDS_GUARD = new RegExp(`${CELL_START}(?=[ "']*${FORMULA})`, "g");
const HAS_GUARD = new RegExp(`${CELL_START}'(?=[ "']*${FORMULA})`, "g");

/** Prevents a value, or a cell within it, from being read as a formula: inserts an apostrophe where one would begin. */
export function guard(value: string): string {
  return value.replace(NEEDS_GUARD, "'");
}

/** Removes the apostrophes of {@link guard}, restoring the value exactly: no two values have the same guarded form. */
export function unguard(value: string): string {
  return value.replace(HAS_GUARD, "");
}

/** Writes rows as CSV (RFC 4180), with each value guarded, and quoted if it contains any separator. */
export function writeCsv(rows: string[][]): string {
  const guarded = rows.map((row) => row.map(guard));
  const quotes = (value: unknown) => /[;\t]/.test(String(value));
  return rows.length === 0 ? "" : `${Papa.unparse(guarded, { newline: "\r\n", quotes })}\r\n`;
}
