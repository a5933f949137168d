import type { KeyboardEvent } from "react";

const PARTS = ["key", "value", "type"];

/** The row and part of the cell around a target; NaN as row outside of cells. */
export function cellOf(target: EventTarget): [row: number, part: string | undefined] {
  const [row, part] = (target as Element).closest<HTMLElement>("[data-cell]")?.dataset.cell?.split(" ") ?? [];
  return [Number(row), part];
}

export function focusCell(box: HTMLElement | null, cell: string) {
  const found = box?.querySelector<HTMLElement>(`[data-cell="${cell}"]`);
  const control = found?.matches("div") ? found.querySelector<HTMLElement>("button") : found;
  control?.focus();
  return control;
}

/** Moves between cells: up and down from the text's first and last line, left and right from its ends. */
export function moveByArrow(event: KeyboardEvent<HTMLElement>, box: HTMLElement | null) {
  const { key, target } = event;
  const [row, part = ""] = cellOf(target);
  const at = PARTS.indexOf(part);
  // On a phone, the row's sheet is outside the box.
  if (at < 0 || !box?.contains(target as Node)) return;
  if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.defaultPrevented || event.nativeEvent.isComposing) return;
  const isDown = key === "ArrowDown" || key === "ArrowRight";
  const isText = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (isText && !isAtEnd(target, key)) return;
  const cell =
    key === "ArrowUp" || key === "ArrowDown"
      ? isText && `${row + (isDown ? 1 : -1)} ${part}`
      : (key === "ArrowLeft" || key === "ArrowRight") && `${row} ${PARTS[at + (isDown ? 1 : -1)]}`;
  if (!cell) return;
  const control = focusCell(box, cell);
  if (!control) return;
  event.preventDefault();
  // As in a spreadsheet, typing now replaces the cell.
  if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) control.select();
}

/** Whether an arrow key cannot move the caret within the text, or all of the text is selected. */
function isAtEnd(field: HTMLInputElement | HTMLTextAreaElement, key: string): boolean {
  const { value, selectionStart: from, selectionEnd: to } = field;
  if (from === null || to === null || (from === 0 && to === value.length)) return true;
  if (from !== to) return false;
  switch (key) {
    case "ArrowUp":
      return !value.slice(0, from).includes("\n");
    case "ArrowDown":
      return !value.slice(to).includes("\n");
    case "ArrowLeft":
      return from === 0;
    default:
      return to === value.length;
  }
}
