import { checkValue } from "@/lib/json/json";
import { isNumber } from "./convert";
import { capitalize, faultInWords } from "./problems";
import type { MemberRow, RowType } from "./rows";

/** The key or the value of one row. */
export interface Cell {
  row: number;
  part: "key" | "value";
}

/** Text being typed into a cell: shown as typed, valid or not, until the cell is left. */
export interface CellDraft {
  cell: Cell;
  text: string;
  /** Whether the text is JSON, or the content of a JSON string. */
  isLiteral: boolean;
  type: RowType;
  /** what the text was guessed to be */
  guess?: string;
}

/** Characters that an input changes or hides: such text is edited as JSON. */
const UNSHOWABLE_IN_KEY = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;
const UNSHOWABLE_IN_VALUE = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;

export const NOT_A_NUMBER = "Not a number. Enter a number, or change the type to text.";

export const idOf = ({ row, part }: Cell) => `${row} ${part}`;

export const spanOf = (row: MemberRow, { part }: Cell) => (part === "key" ? row.keySpan : row.valueSpan);

/** The draft of an unedited cell. */
export function untouched(row: MemberRow, cell: Cell): CellDraft {
  const isKey = cell.part === "key";
  const type = isKey ? "string" : row.type;
  if (type !== "string") return { cell, text: row.literal, isLiteral: true, type };
  const text = isKey ? row.key : String(JSON.parse(row.literal));
  const isLiteral = (isKey ? UNSHOWABLE_IN_KEY : UNSHOWABLE_IN_VALUE).test(text);
  return { cell, text: isLiteral ? (isKey ? JSON.stringify(text) : row.literal) : text, isLiteral, type };
}

export function draftLiteral({ isLiteral, text, guess }: CellDraft): string {
  return guess ?? (isLiteral ? text.trim() : JSON.stringify(text));
}

/** Whether the last valid text lacks the draft. */
export function isBroken(base: string, row: MemberRow, draft: CellDraft): boolean {
  const { from, to } = spanOf(row, draft.cell);
  return base.slice(from, to) !== draftLiteral(draft);
}

export function whyBroken({ cell, type, text }: CellDraft): string {
  if (cell.part === "key" || type === "string") return "Must be a JSON string in double quotes";
  if (type === "number" && !isNumber(text.trim())) return NOT_A_NUMBER;
  const [error] = checkValue(text).errors;
  return capitalize(error ? faultInWords(error) : "must be one JSON value");
}
