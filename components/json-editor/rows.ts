import { type Node, parseTree } from "jsonc-parser";
import { checkValue, type JsonError } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";
import { isBlank } from "./problems";

/** `json` is an object or an array. */
export type RowType = "string" | "number" | "boolean" | "null" | "json";

/** A range of a text, in UTF-16 units. */
export interface Span {
  from: number;
  to: number;
}

/** One member of a JSON object, with the places of its key and value. */
export interface MemberRow {
  key: string;
  keySpan: Span;
  type: RowType;
  /** The value as spelled. */
  literal: string;
  valueSpan: Span;
}

/** A JSON object's members in order, duplicates included. */
export interface Table {
  rows: MemberRow[];
  /** Errors in a text that can still be read. */
  errors: JsonError[];
}

/** Reads an object's members, a blank text as an empty object; undefined for any other text. */
export function readTable(text: string): Table | undefined {
  if (isBlank(text)) return { rows: [], errors: [] };
  const { value, errors } = checkValue(text);
  if (!(value instanceof RawJson) || value.kind !== "object") return undefined;
  return { rows: (parseTree(text)?.children ?? []).flatMap((property) => readRow(text, property)), errors };
}

/** The text with one range replaced. */
export function splice(text: string, { from, to }: Span, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

/** A key and a value as spelled. */
export interface Member {
  key: string;
  literal: string;
}

/** Adds members at the end, in the style of the last one. */
export function addMembers(text: string, members: readonly Member[]): string {
  if (members.length === 0) return text;
  const written = (before: string, colon: string) =>
    members.map(({ key, literal }) => `${before}${JSON.stringify(key)}${colon}${literal}`).join(",");
  if (isBlank(text)) return `{${written("\n  ", ": ")}\n}`;
  const rows = readTable(text)?.rows ?? [];
  const last = rows.at(-1);
  const open = text.indexOf("{");
  if (!last) return splice(text, { from: open + 1, to: text.lastIndexOf("}") }, `${written("\n  ", ": ")}\n`);
  const before = text.slice(rows.at(-2)?.valueSpan.to ?? open + 1, last.keySpan.from).replace(/^\s*,/, "");
  const colon = text.slice(last.keySpan.to, last.valueSpan.from);
  const end = last.valueSpan.to;
  return splice(text, { from: end, to: end }, `,${written(before, colon)}`);
}

/** Removes a member and its comma. */
export function removeMember(text: string, index: number): string {
  const rows = readTable(text)?.rows ?? [];
  const [previous, row, next] = [rows[index - 1], rows[index], rows[index + 1]];
  if (!row) return text;
  if (next) return splice(text, { from: row.keySpan.from, to: next.keySpan.from }, "");
  if (previous) return splice(text, { from: previous.valueSpan.to, to: row.valueSpan.to }, "");
  return splice(text, { from: text.indexOf("{") + 1, to: text.lastIndexOf("}") }, "");
}

function readRow(text: string, { children: [name, value] = [] }: Node): MemberRow[] {
  if (!name || !value) return [];
  const valueSpan = spanOf(value);
  const literal = text.slice(valueSpan.from, valueSpan.to);
  return [{ key: name.value, keySpan: spanOf(name), type: typeOfLiteral(literal), literal, valueSpan }];
}

function spanOf({ offset, length }: Node): Span {
  return { from: offset, to: offset + length };
}

/** The type of a value as spelled. */
export function typeOfLiteral(literal: string): RowType {
  const first = { '"': "string", t: "boolean", f: "boolean", n: "null", "{": "json", "[": "json" } as const;
  return first[literal[0] as keyof typeof first] ?? "number";
}
