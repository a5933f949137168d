import { checkValue } from "@/lib/json/json";
import { isNumber } from "./convert";
import type { RowType } from "./rows";

/** Splits a spreadsheet's clipboard text into rows of cells: tabs between cells, quotes around line breaks. */
export function parseCells(text: string): string[][] {
  const rows: string[][] = [[]];
  let rest = text.replace(/(\r\n?|\n)$/, "");
  for (;;) {
    const [matched = "", quoted, plain = ""] = /^(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))/.exec(rest) ?? [];
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"').replace(/\r\n?/g, "\n"));
    const [end] = /^(\t|\r\n?|\n)/.exec(rest.slice(matched.length)) ?? [];
    if (end === undefined) return rows;
    if (end !== "\t") rows.push([]);
    rest = rest.slice(matched.length + end.length);
  }
}

/** Whether a paste holds cells rather than text. Only a spreadsheet's table may begin a line with an empty cell. */
export function hasCells(text: string, html: string): boolean {
  if (html) return /<table/i.test(html) && /\t|[\r\n]./.test(text);
  return text.includes("\t") && !/^\t/m.test(text);
}

/** A cell's text as JSON: an exact number, a boolean or a quoted string as it is, anything else as a string. */
export function literalOfCell(text: string, types: readonly RowType[]): string {
  const trimmed = text.trim();
  if (!types.includes("boolean")) return JSON.stringify(text);
  if (/^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase();
  return isExactNumber(trimmed) || isQuoted(trimmed) ? trimmed : JSON.stringify(text);
}

/** Whether the text is a JSON string with its quotes. */
export function isQuoted(text: string): boolean {
  return /^".*"$/s.test(text) && typeof checkValue(text).value === "string";
}

/** Whether the text is a JSON number that every reader reads alike. */
export function isExactNumber(text: string): boolean {
  return isNumber(text) && checkValue(text).errors.length === 0;
}
