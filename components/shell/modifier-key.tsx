"use client";

import { useInBrowser } from "@/components/use-in-browser";
import { cn } from "@/lib/browser/class-name";

/** The key that shortcuts are pressed with, as this platform calls it. */
export function ModifierKey() {
  const isKnown = useInBrowser();
  // The server holds the place of what only the browser knows.
  return <span className={cn(!isKnown && "invisible")}>{isKnown && isApple() ? "⌘" : "Ctrl"}</span>;
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.platform);
}
