import Papa from "papaparse";

/** What a spreadsheet may take for the beginning of a formula (OWASP, CSV injection). */
const FORMULA = "[=+\\-@\\t\\r\\n＝＋－＠]";
/**
 * Where a cell may begin for a spreadsheet that splits at semicolons or tabs: quotes do not hold a value together there, as
 * they do not follow its separator. Quotes, apostrophes and spaces before a formula are looked past.
 */
const CELL_START = "(?<=^|[;\\t\\r\\n])";
const NEEDS_GUARD = new RegExp(`${CELL_START}(?=[ "']*${FORMULA})`, "g");
const HAS_GUARD = new RegExp(`${CELL_START}'(?=[ "']*${FORMULA})`, "g");

/** Guards a value against being taken for a formula, or for cells with one, by an apostrophe where such a cell would begin. */
export function guard(value: string): string {
  return value.replace(NEEDS_GUARD, "'");
}

/** Takes the apostrophes of {@link guard} away: no two values have the same guarded form, so each comes back as it was. */
export function unguard(value: string): string {
  return value.replace(HAS_GUARD, "");
}

/** Writes rows as CSV (RFC 4180), each value guarded, and quoted also where another separator would cut it. */
export function writeCsv(rows: string[][]): string {
  const guarded = rows.map((row) => row.map(guard));
  const quotes = (value: unknown) => /[;\t]/.test(String(value));
  return rows.length === 0 ? "" : `${Papa.unparse(guarded, { newline: "\r\n", quotes })}\r\n`;
}
