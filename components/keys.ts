/** Whether keys go into a text; a checkbox takes none but Space. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"))
  );
}

/** Whether a dialog or menu is open, which owns the keys. Toasts have role dialog, but cover nothing. */
export function isCovered(): boolean {
  return (
    document.querySelector(':is([role="dialog"], [role="alertdialog"], [role="menu"]):not([role="region"] *)') !== null
  );
}
