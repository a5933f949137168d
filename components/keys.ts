/** Whether keys type into the target; a checkbox takes only Space. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"))
  );
}

/** Whether an open dialog or menu owns the keys. Toasts have role dialog, but cover nothing. */
export function isCovered(): boolean {
  return (
    document.querySelector(':is([role="dialog"], [role="alertdialog"], [role="menu"]):not([role="region"] *)') !== null
  );
}
