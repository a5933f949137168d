import { useEffect } from "react";

/** Saves on ⌘S or Ctrl+S. */
export function useSaveKey(save: () => Promise<void>, active: boolean) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      // Holding the key repeats it.
      if (active && !event.repeat) void save();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [save, active]);
}
