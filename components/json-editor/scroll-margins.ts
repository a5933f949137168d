import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

// CodeMirror uses the margins to scroll and to hide tooltips; what is covered right now matters only for tooltips.
let isScrolling = false;

/** Keeps the edited line clear of the header and the save bar. */
export const scrollMargins: Extension = [
  EditorView.scrollHandler.of(() => {
    isScrolling = true;
    queueMicrotask(() => {
      isScrolling = false;
    });
    return false;
  }),
  EditorView.scrollMargins.of(({ scrollDOM }) => {
    const style = getComputedStyle(document.documentElement);
    const top = Number.parseFloat(style.scrollPaddingTop) || 0;
    const bottom = Number.parseFloat(style.scrollPaddingBottom) || 0;
    if (isScrolling) return { top, bottom };
    const box = scrollDOM.getBoundingClientRect();
    return { top: Math.max(0, top - box.top), bottom: Math.max(0, box.bottom - (window.innerHeight - bottom)) };
  }),
];
