import { checkValue } from "@/lib/json/json";
import { isExactNumber, isQuoted, literalOfCell } from "./cells";
import { convertLiteral, isNumber } from "./convert";
import { capitalize, faultInWords } from "./problems";
import {
  addMembers,
  type Member,
  type MemberRow,
  type RowType,
  readTable,
  removeMember,
  splice,
  type Table,
  typeOfLiteral,
} from "./rows";

/** The key or the value of one row. */
interface Cell {
  row: number;
  part: "key" | "value";
}

/** Text being typed into a cell: shown as typed, valid or not, until the cell is left. */
interface Draft {
  cell: Cell;
  text: string;
  /** Whether the text is JSON, or the content of a JSON string. */
  isLiteral: boolean;
  type: RowType;
  /** what the text was guessed to be */
  guess?: string;
}

export interface RowsState {
  /** The last text that was a valid object, and its rows. */
  base: string;
  table: Table;
  drafts: ReadonlyMap<string, Draft>;
  /** By row, the value before its type changed, so that switching through types loses nothing. */
  origins: ReadonlyMap<number, string>;
  /** New rows whose type was not chosen: it follows from what is typed. */
  guessed: ReadonlySet<number>;
  /** The field's value: the base with all drafts, broken ones included. */
  text: string;
}

export interface RowView {
  name: string;
  /** the key and the value as the text has them */
  memberName: string;
  literal: string;
  nameError: string | undefined;
  type: RowType;
  value: string;
  valueError: string | undefined;
  isGuessed: boolean;
  /** whether the value is shown as typed */
  isTyped: boolean;
  /** the first error as a sentence about the row */
  problem: string | undefined;
}

/** Characters that an input changes or hides: such text is edited as JSON. */
const UNSHOWABLE_IN_KEY = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;
const UNSHOWABLE_IN_VALUE = /(?![\n\t])[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029]/u;

/** Opens a text as rows; undefined unless it is a JSON object. */
export function openRows(text: string): RowsState | undefined {
  const table = readTable(text);
  return table && { base: text, table, drafts: new Map(), origins: new Map(), guessed: new Set(), text };
}

export type RowEdit =
  /** `guess` makes JSON of a value whose type was not chosen */
  | { do: "type"; part: Cell["part"]; text: string; guess?: (text: string) => string }
  | { do: "leave"; part: Cell["part"] }
  | { do: "convert"; type: RowType }
  | { do: "set"; literal: string }
  | { do: "remove" };

export function editRow(state: RowsState, row: number, edit: RowEdit): RowsState {
  switch (edit.do) {
    case "type":
      return typeIntoCell(state, { row, part: edit.part }, edit);
    case "leave":
      return leaveCell(state, { row, part: edit.part });
    case "convert":
      return convertRow(state, row, edit.type);
    case "set":
      return setLiteral(state, row, edit.literal);
    case "remove":
      return removeRow(state, row);
  }
}

export function addRow(state: RowsState, member: Member, isGuessed = false): RowsState {
  const base = addMembers(state.base, [member]);
  const guessed = isGuessed ? new Set(state.guessed).add(state.table.rows.length) : state.guessed;
  return withText({ ...state, base, guessed, table: readTable(base) ?? state.table });
}

/**
 * Fills cells from a row and column on, adding rows as needed; columns beyond the value are left out. A value keeps its
 * row's type where it can.
 */
export function pasteCells(
  state: RowsState,
  { row: first, part }: Cell,
  { cells, types }: { cells: readonly (readonly string[])[]; types: readonly RowType[] },
): RowsState {
  const { rows } = state.table;
  const pasted = cells.map(([one = "", other]) =>
    part === "key" ? { key: one, value: other } : { key: undefined, value: one },
  );
  let base = state.base;
  // From the last one: a replacement moves what follows it.
  for (let index = Math.min(rows.length, first + pasted.length) - 1; index >= first; index--) {
    const [row, cell] = [rows[index], pasted[index - first]];
    if (!row || !cell) continue;
    if (cell.value !== undefined) base = splice(base, row.valueSpan, literalFor(row, cell.value, types));
    if (cell.key !== undefined) base = splice(base, row.keySpan, JSON.stringify(cell.key));
  }
  const added = pasted.slice(Math.max(rows.length - first, 0)).map(({ key = "", value = "" }) => ({
    key,
    literal: literalOfCell(value, types),
  }));
  base = addMembers(base, added);
  const isOutside = (row: number) => row < first || row >= first + pasted.length;
  return withText({
    base,
    table: readTable(base) ?? state.table,
    drafts: new Map([...state.drafts].filter(([, { cell }]) => isOutside(cell.row))),
    origins: new Map([...state.origins].filter(([row]) => isOutside(row))),
    guessed: new Set([...state.guessed].filter(isOutside)),
  });
}

function literalFor({ type }: MemberRow, text: string, types: readonly RowType[]): string {
  if (type === "string") return JSON.stringify(text);
  if (type === "number" && isExactNumber(text.trim())) return text.trim();
  return literalOfCell(text, types);
}

function typeIntoCell(state: RowsState, cell: Cell, { text, guess }: Extract<RowEdit, { do: "type" }>): RowsState {
  const row = state.table.rows[cell.row];
  if (!row) return state;
  const before = state.drafts.get(idOf(cell)) ?? untouched(row, cell);
  const guessed = cell.part === "value" && state.guessed.has(cell.row) ? guess?.(text) : undefined;
  const draft: Draft =
    guessed === undefined
      ? { ...before, text }
      : { cell, text, isLiteral: false, type: typeOfLiteral(guessed), guess: guessed };
  const origins = cell.part === "value" ? without(state.origins, cell.row) : state.origins;
  const base = splice(state.base, spanOf(row, cell), literalOf(draft));
  const table = readTable(base);
  if (!table) return withText({ ...state, origins, drafts: withEntry(state.drafts, idOf(cell), draft) });
  // More than a value was typed, which made other rows: show those.
  if (table.rows.length !== state.table.rows.length) return openRows(base) ?? state;
  return withText({ ...state, base, table, origins, drafts: withEntry(state.drafts, idOf(cell), draft) });
}

// Shows the cell as the text has it, unless what was typed broke the text.
function leaveCell(state: RowsState, cell: Cell): RowsState {
  const draft = state.drafts.get(idOf(cell));
  if (!draft || isBroken(state, draft)) return state;
  // Quotes are a choice of the type; without them the text would be guessed again.
  const guessed = draft.guess !== undefined && isQuoted(draft.text.trim()) ? chosen(state, cell.row) : state.guessed;
  return withText({ ...state, guessed, drafts: without(state.drafts, idOf(cell)) });
}

function convertRow(state: RowsState, index: number, type: RowType): RowsState {
  const row = state.table.rows[index];
  if (!row) return state;
  const id = idOf({ row: index, part: "value" });
  const draft = state.drafts.get(id);
  const broken = draft && isBroken(state, draft) ? JSON.stringify(draft.text) : undefined;
  const origin = broken ?? state.origins.get(index) ?? row.literal;
  const base = splice(state.base, row.valueSpan, convertLiteral(origin, type));
  return withText({
    base,
    table: readTable(base) ?? state.table,
    drafts: without(state.drafts, id),
    origins: withEntry(state.origins, index, origin),
    guessed: chosen(state, index),
  });
}

function setLiteral(state: RowsState, index: number, literal: string): RowsState {
  const row = state.table.rows[index];
  if (!row) return state;
  const base = splice(state.base, row.valueSpan, literal);
  return withText({
    base,
    table: readTable(base) ?? state.table,
    drafts: without(state.drafts, idOf({ row: index, part: "value" })),
    origins: without(state.origins, index),
    guessed: chosen(state, index),
  });
}

function chosen({ guessed }: RowsState, row: number): ReadonlySet<number> {
  return new Set([...guessed].filter((one) => one !== row));
}

function removeRow(state: RowsState, index: number): RowsState {
  const base = removeMember(state.base, index);
  const moved = (row: number) => (row > index ? row - 1 : row);
  const drafts = [...state.drafts.values()]
    .filter(({ cell }) => cell.row !== index)
    .map((draft) => ({ ...draft, cell: { ...draft.cell, row: moved(draft.cell.row) } }));
  return withText({
    base,
    table: readTable(base) ?? state.table,
    drafts: new Map(drafts.map((draft) => [idOf(draft.cell), draft])),
    origins: new Map([...state.origins].filter(([row]) => row !== index).map(([row, from]) => [moved(row), from])),
    guessed: new Set([...chosen(state, index)].map(moved)),
  });
}

export function viewRows(state: RowsState): RowView[] {
  const times = new Map<string, number>();
  for (const { key } of state.table.rows) times.set(key, (times.get(key) ?? 0) + 1);
  let next = 0;
  return state.table.rows.map((row, index) => {
    const errors: string[] = [];
    let keyError = (times.get(row.key) ?? 0) > 1 ? "Duplicate key" : undefined;
    for (; next < state.table.errors.length; next++) {
      const error = state.table.errors[next];
      if (!error || error.place.offset >= row.valueSpan.to) break;
      if (error.place.offset >= row.valueSpan.from) errors.push(faultInWords(error));
      else keyError ??= capitalize(faultInWords(error));
    }
    const [reason] = errors;
    const key = state.drafts.get(idOf({ row: index, part: "key" })) ?? untouched(row, { row: index, part: "key" });
    const value =
      state.drafts.get(idOf({ row: index, part: "value" })) ?? untouched(row, { row: index, part: "value" });
    const nameError = isBroken(state, key) ? whyBroken(key) : keyError;
    const valueError = isBroken(state, value) ? whyBroken(value) : reason && capitalize(reason);
    return {
      name: key.text,
      memberName: row.key,
      literal: row.literal,
      nameError,
      type: value.type,
      value: value.text,
      valueError,
      isGuessed: state.guessed.has(index),
      isTyped: state.drafts.has(idOf({ row: index, part: "value" })),
      problem: problemOf(key.text, nameError, valueError),
    };
  });
}

function problemOf(name: string, nameError: string | undefined, valueError: string | undefined): string | undefined {
  const row = name === "" ? '""' : name;
  if (valueError === NOT_A_NUMBER) return `${row} is not a number`;
  const error = nameError ?? valueError;
  return error && `${row}: ${error.charAt(0).toLowerCase()}${error.slice(1)}`;
}

const NOT_A_NUMBER = "Not a number. Enter a number, or change the type to text.";

function untouched(row: MemberRow, cell: Cell): Draft {
  const type = cell.part === "key" ? "string" : row.type;
  if (type !== "string") return { cell, text: row.literal, isLiteral: true, type };
  const text = cell.part === "key" ? row.key : String(JSON.parse(row.literal));
  const isLiteral = (cell.part === "key" ? UNSHOWABLE_IN_KEY : UNSHOWABLE_IN_VALUE).test(text);
  return { cell, text: isLiteral ? (cell.part === "key" ? JSON.stringify(text) : row.literal) : text, isLiteral, type };
}

function literalOf({ isLiteral, text, guess }: Draft): string {
  return guess ?? (isLiteral ? text.trim() : JSON.stringify(text));
}

function isBroken(state: RowsState, draft: Draft): boolean {
  const row = state.table.rows[draft.cell.row];
  return row !== undefined && state.drafts.has(idOf(draft.cell)) && !standsIn(state.base, row, draft);
}

function standsIn(base: string, row: MemberRow, draft: Draft): boolean {
  const { from, to } = spanOf(row, draft.cell);
  return base.slice(from, to) === literalOf(draft);
}

function whyBroken({ cell, type, text }: Draft): string {
  if (cell.part === "key" || type === "string") return "Must be a JSON string in double quotes";
  if (type === "number" && !isNumber(text.trim())) return NOT_A_NUMBER;
  const [error] = checkValue(text).errors;
  return capitalize(error ? faultInWords(error) : "must be one JSON value");
}

function withText(state: Omit<RowsState, "text">): RowsState {
  let text = state.base;
  const drafts = [...state.drafts.values()].sort((a, b) => compareCells(b.cell, a.cell));
  for (const draft of drafts) {
    const row = state.table.rows[draft.cell.row];
    if (row) text = splice(text, spanOf(row, draft.cell), literalOf(draft));
  }
  return { ...state, text };
}

function compareCells(a: Cell, b: Cell): number {
  return a.row - b.row || Number(a.part === "value") - Number(b.part === "value");
}

function spanOf(row: MemberRow, { part }: Cell) {
  return part === "key" ? row.keySpan : row.valueSpan;
}

function idOf({ row, part }: Cell): string {
  return `${row} ${part}`;
}

function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

function without<K, V>(map: ReadonlyMap<K, V>, key: K): ReadonlyMap<K, V> {
  if (!map.has(key)) return map;
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}
