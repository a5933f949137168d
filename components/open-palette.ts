export const OPEN_PALETTE = "open-command-palette";

/** Opens the command palette from anywhere, with a search text. */
export function openPalette(text = "") {
  window.dispatchEvent(new CustomEvent(OPEN_PALETTE, { detail: text }));
}
