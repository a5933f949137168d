export const OPEN_PALETTE = "open-command-palette";

/** Opens the palette from anywhere, with a text to search for. */
export function openPalette(text = "") {
  window.dispatchEvent(new CustomEvent(OPEN_PALETTE, { detail: text }));
}
