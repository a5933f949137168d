import {
  type ClipboardEvent,
  createContext,
  type RefObject,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { announce } from "@/components/ui/announcer";
import { onDemand } from "@/components/ui/on-demand";
import { whenIdle } from "@/lib/browser/load";
import { cellOf, focusCell } from "./arrow-keys";
import { hasCells, parseCells } from "./cells";
import { convertLiteral } from "./convert";
import type { Cell } from "./drafts";
import type { Member } from "./rows";
import { addRow, editRow, pasteCells, type RowEdit, type RowsState } from "./rows-state";
import type { RowsViewProps } from "./rows-view";

const sheets = onDemand(() => import("./row-sheet"));
export const RowSheet = sheets.part("RowSheet");

/** How many rows are added at a time: thousands together would take seconds to appear. */
export const PORTION = 100;

/** Called when a row opens or closes: while it is open, a newer version of the text must not move it. */
export const OnRowOpen = createContext<(isOpen: boolean) => void>(() => undefined);

/** Edits rows, and moves the focus afterwards. */
export function useRowEdits({ state, onChange, types, readOnly, guide }: RowsViewProps, isPhone: boolean) {
  const [firstType = "string"] = types;
  const [isAdding, setAdding] = useState(false);
  // An empty sheet has a row to type into, unless keys of the guide are offered.
  const needsRow = !readOnly && !guide?.rows.size;
  const blank = isAdding || (needsRow && state.table.rows.length === 0);
  const [shown, setShown] = useState(PORTION);
  const reveal = useCallback((count: number) => setShown((most) => Math.max(most, count)), []);
  const box = useRef<HTMLDivElement>(null);
  const focusNext = useFocusNext(box, isPhone);
  const latest = useRef({ state, blank });
  useLayoutEffect(() => {
    latest.current = { state, blank };
  });
  const { opened, open, setOpened } = useOpenedRow(latest, isPhone);
  const close = () => {
    focusNext.current ??= `${opened?.index} row`;
    setOpened(undefined);
  };

  const onEdit = useCallback(
    (index: number, edit: RowEdit) => {
      const { state, blank } = latest.current;
      const count = state.table.rows.length;
      if (edit.do === "remove") {
        const left = count + Number(blank) - 1;
        focusNext.current = left === 0 ? "0 key" : `${Math.min(index, left - 1)} remove`;
      }
      if (index >= count) {
        if (edit.do === "leave") return;
        setAdding(false);
        if (edit.do === "remove") return;
      }
      const literal = convertLiteral('""', firstType);
      const next = editRow(index < count ? state : addRow(state, { key: "", literal }, true), index, edit);
      latest.current = { state: next, blank: (blank && index < count) || (needsRow && next.table.rows.length === 0) };
      onChange(next);
    },
    [onChange, firstType, focusNext, needsRow],
  );

  const startRow = useCallback(() => {
    const count = latest.current.state.table.rows.length;
    reveal(count + 1);
    if (isPhone) return void open(count);
    if (latest.current.blank) return void focusCell(box.current, `${count} key`);
    focusNext.current = `${count} key`;
    setAdding(true);
  }, [isPhone, open, focusNext, reveal]);

  const onEnter = useCallback(
    (index: number, part: "key" | "value") => {
      const { state, blank } = latest.current;
      const count = state.table.rows.length;
      if (index < count + Number(blank) - 1) focusCell(box.current, `${index + 1} ${part}`);
      else if (index < count && !readOnly) startRow();
    },
    [readOnly, startRow],
  );

  return {
    box,
    blank,
    shown,
    opened,
    reveal,
    open,
    onEdit,
    onEnter,
    startRow,
    close() {
      // On Enter, the sheet closes before its fields lose the focus.
      for (const part of ["key", "value"] as const) if (opened) onEdit(opened.index, { do: "leave", part });
      close();
    },
    cancel() {
      if (opened) onChange(opened.before);
      close();
    },
    /** Pasted cells fill the sheet from the focused cell on; with no cell focused, they become new rows. */
    onPaste(event: ClipboardEvent<HTMLElement>) {
      const { state } = latest.current;
      const pasted = readOnly ? undefined : cellsIn(event, state.table.rows.length);
      if (!pasted) return;
      event.preventDefault();
      const { cells, at } = pasted;
      setAdding(false);
      reveal(at.row + cells.length);
      onChange(pasteCells(state, at, { cells, types }));
      announce(cells.length === 1 ? "1 row pasted" : `${cells.length} rows pasted`);
    },
    /** Adds a row for a key of the guide, and opens it on a phone if its value is still missing. */
    add(member: Member, isBlank: boolean) {
      const before = latest.current.state;
      const count = before.table.rows.length;
      focusNext.current = `${count} value`;
      setAdding(false);
      reveal(count + 1);
      onChange(addRow(before, member));
      if (isPhone && isBlank) void open(count, before);
    },
    showMore(from: number) {
      focusNext.current = `${from} key`;
      reveal(shown + PORTION);
    },
  };
}

/** Ref to the cell that takes the focus once rendered; on a phone, its row does. */
function useFocusNext(box: RefObject<HTMLDivElement | null>, isPhone: boolean) {
  const next = useRef<string>(undefined);
  useLayoutEffect(() => {
    const target = next.current;
    next.current = undefined;
    if (!target) return;
    const control = focusCell(box.current, isPhone ? target.replace(/\w+$/, "row") : target);
    // Typing replaces a default or a zero.
    if (control instanceof HTMLTextAreaElement) control.select();
  });
  return next;
}

/** The row being edited on a phone, and the state that Cancel restores. */
function useOpenedRow(latest: RefObject<{ state: RowsState }>, isPhone: boolean) {
  const [opened, setOpened] = useState<{ index: number; before: RowsState }>();
  const onRowOpen = useContext(OnRowOpen);
  const isOpen = opened !== undefined;
  useEffect(() => {
    if (!isOpen) return;
    onRowOpen(true);
    return () => onRowOpen(false);
  }, [isOpen, onRowOpen]);
  // Loaded now, in case the connection is lost.
  useEffect(() => (isPhone ? whenIdle(() => void sheets.load().catch(() => undefined)) : undefined), [isPhone]);
  const open = useCallback(
    async (index: number, before = latest.current.state) => {
      if (await sheets.loadOrTell()) setOpened({ index, before });
    },
    [latest],
  );
  return { opened, open, setOpened };
}

/** A paste as cells, and the first cell to fill; undefined for text within one cell. */
function cellsIn({ clipboardData, target }: ClipboardEvent<HTMLElement>, count: number) {
  const text = clipboardData.getData("text/plain");
  const [row, part] = cellOf(target);
  const isIntoCell = part === "key" || part === "value";
  if (text.trim() === "" || (isIntoCell && !hasCells(text, clipboardData.getData("text/html")))) return undefined;
  const at: Cell = { row: isIntoCell ? row : count, part: isIntoCell ? part : "key" };
  return { cells: parseCells(text), at };
}
