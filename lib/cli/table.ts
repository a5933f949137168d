/** Rows of text in aligned columns, for a terminal; the first row is the head. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return `${rows.map((row) => line(row).trimEnd()).join("\n")}\n`;
}
