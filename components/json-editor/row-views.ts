import { type Cell, idOf, isBroken, NOT_A_NUMBER, untouched, whyBroken } from "./drafts";
import { capitalize, faultInWords, uncapitalize } from "./problems";
import type { MemberRow, RowType } from "./rows";
import type { RowsState } from "./rows-state";

export interface RowView {
  name: string;
  /** the key and the value in the last valid text */
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

export function viewRows(state: RowsState): RowView[] {
  const times = new Map<string, number>();
  for (const { key } of state.table.rows) times.set(key, (times.get(key) ?? 0) + 1);
  let next = 0;
  return state.table.rows.map((row, index) => {
    let keyError = (times.get(row.key) ?? 0) > 1 ? "Duplicate key" : undefined;
    let reason: string | undefined;
    for (; next < state.table.errors.length; next++) {
      const error = state.table.errors[next];
      if (!error || error.place.offset >= row.valueSpan.to) break;
      const words = capitalize(faultInWords(error));
      if (error.place.offset >= row.valueSpan.from) reason ??= words;
      else keyError ??= words;
    }
    const key = viewCell(state, row, { row: index, part: "key" });
    const value = viewCell(state, row, { row: index, part: "value" });
    const [nameError, valueError] = [key.error ?? keyError, value.error ?? reason];
    return {
      name: key.text,
      memberName: row.key,
      literal: row.literal,
      nameError,
      valueError,
      type: value.type,
      value: value.text,
      isTyped: value.isTyped,
      isGuessed: state.guessed.has(index),
      problem: problemOf(key.text, nameError, valueError),
    };
  });
}

function viewCell({ base, drafts }: RowsState, row: MemberRow, cell: Cell) {
  const draft = drafts.get(idOf(cell));
  const error = draft && isBroken(base, row, draft) ? whyBroken(draft) : undefined;
  return { ...(draft ?? untouched(row, cell)), error, isTyped: draft !== undefined };
}

function problemOf(name: string, nameError: string | undefined, valueError: string | undefined): string | undefined {
  const row = name === "" ? '""' : name;
  if (valueError === NOT_A_NUMBER) return `${row} is not a number`;
  const error = nameError ?? valueError;
  return error && `${row}: ${uncapitalize(error)}`;
}
