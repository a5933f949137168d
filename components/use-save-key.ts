import { useEffect } from "react";
import { isCovered } from "@/components/keys";

/** Saves the page on ⌘S or Ctrl+S, unless a dialog is open. */
export function useSaveKey(save: () => Promise<void>, active: boolean) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      // Holding the key repeats it.
      if (active && !event.repeat && !isCovered()) void save();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [save, active]);
}
