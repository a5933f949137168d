import { checkValue } from "@/lib/json/json";
import { RawJson } from "@/lib/json/raw-json";
import { isExactNumber, isQuoted, literalOfCell } from "./cells";
import { convertLiteral } from "./convert";
import { type Cell, type CellDraft, draftLiteral, idOf, isBroken, spanOf, untouched } from "./drafts";
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

export interface RowsState {
  /** The last text that was a valid object, and its rows. */
  base: string;
  table: Table;
  drafts: ReadonlyMap<string, CellDraft>;
  /** By row, the value before its type changed, so that switching through types loses nothing. */
  origins: ReadonlyMap<number, string>;
  /** New rows whose type was not chosen: it is guessed from the typed text. */
  guessed: ReadonlySet<number>;
  /** The field's value: the base with all drafts, broken ones included. */
  text: string;
}

/** Opens a text as rows; undefined unless it is a JSON object. */
export function openRows(text: string): RowsState | undefined {
  const table = readTable(text);
  return table && { base: text, table, drafts: new Map(), origins: new Map(), guessed: new Set(), text };
}

export type RowEdit =
  /** `guess` turns text into JSON if no type was chosen */
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
 * Fills cells starting at a row and column, adding rows as needed; columns after the value are ignored. A value keeps
 * its row's type if possible.
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
  // Backwards, as a replacement moves the text after it.
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
  if (type === "json" && checkValue(text.trim()).value instanceof RawJson) return text.trim();
  return literalOfCell(text, types);
}

function typeIntoCell(state: RowsState, cell: Cell, { text, guess }: Extract<RowEdit, { do: "type" }>): RowsState {
  const row = state.table.rows[cell.row];
  if (!row) return state;
  const before = state.drafts.get(idOf(cell)) ?? untouched(row, cell);
  const guessed = cell.part === "value" && state.guessed.has(cell.row) ? guess?.(text) : undefined;
  const draft: CellDraft =
    guessed === undefined
      ? { ...before, text }
      : { cell, text, isLiteral: false, type: typeOfLiteral(guessed), guess: guessed };
  const origins = cell.part === "value" ? without(state.origins, cell.row) : state.origins;
  const base = splice(state.base, spanOf(row, cell), draftLiteral(draft));
  const table = readTable(base);
  if (!table) return withText({ ...state, origins, drafts: withEntry(state.drafts, idOf(cell), draft) });
  // The typed text added or removed rows: show the new ones.
  if (table.rows.length !== state.table.rows.length) return openRows(base) ?? state;
  return withText({ ...state, base, table, origins, drafts: withEntry(state.drafts, idOf(cell), draft) });
}

// Drops the cell's draft, unless it broke the text.
function leaveCell(state: RowsState, cell: Cell): RowsState {
  const draft = state.drafts.get(idOf(cell));
  const row = state.table.rows[cell.row];
  if (!draft || !row || isBroken(state.base, row, draft)) return state;
  // Quotes choose the type: without them, the value would be guessed again.
  const guessed = draft.guess !== undefined && isQuoted(draft.text.trim()) ? chosen(state, cell.row) : state.guessed;
  return withText({ ...state, guessed, drafts: without(state.drafts, idOf(cell)) });
}

function convertRow(state: RowsState, index: number, type: RowType): RowsState {
  const row = state.table.rows[index];
  if (!row) return state;
  const draft = state.drafts.get(idOf({ row: index, part: "value" }));
  const broken = draft && isBroken(state.base, row, draft) ? JSON.stringify(draft.text) : undefined;
  const origin = broken ?? state.origins.get(index) ?? row.literal;
  const origins = withEntry(state.origins, index, origin);
  return { ...setLiteral(state, index, convertLiteral(origin, type)), origins };
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

function withText(state: Omit<RowsState, "text">): RowsState {
  let text = state.base;
  const drafts = [...state.drafts.values()].sort((a, b) => compareCells(b.cell, a.cell));
  for (const draft of drafts) {
    const row = state.table.rows[draft.cell.row];
    if (row) text = splice(text, spanOf(row, draft.cell), draftLiteral(draft));
  }
  return { ...state, text };
}

function compareCells(a: Cell, b: Cell): number {
  return a.row - b.row || Number(a.part === "value") - Number(b.part === "value");
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
