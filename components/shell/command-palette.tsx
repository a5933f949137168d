"use client";
export function CommandPalette(_: { onClose: () => void; onShortcuts: () => void }) {
  return null;
}
