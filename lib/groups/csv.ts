import Papa from "papaparse";

/** What a spreadsheet may take for the beginning of a formula (OWASP, CSV injection), however many apostrophes are before it. */
const FORMULA = "[=+\\-@\\t\\r\\n＝＋－＠]";
const NEEDS_GUARD = new RegExp(`^'*${FORMULA}`);
const HAS_GUARD = new RegExp(`^'+${FORMULA}`);

/** Guards a value against being taken for a formula, by an apostrophe before it. */
export function guard(value: string): string {
  return NEEDS_GUARD.test(value) ? `'${value}` : value;
}

/** Takes the apostrophe of {@link guard} away: no two values have the same guarded form, so each comes back as it was. */
export function unguard(value: string): string {
  return HAS_GUARD.test(value) ? value.slice(1) : value;
}

/** Writes rows as CSV (RFC 4180), each value guarded. */
export function writeCsv(rows: string[][]): string {
  const guarded = rows.map((row) => row.map(guard));
  return rows.length === 0 ? "" : `${Papa.unparse(guarded, { newline: "\r\n" })}\r\n`;
}
