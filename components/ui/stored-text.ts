/** A text that this browser keeps under a key, for all its pages. Where storage is refused or full, nothing is kept. */
export function storedText(key: string) {
  const listeners = new Set<() => void>();
  return {
    subscribe(listener: () => void) {
      listeners.add(listener);
      window.addEventListener("storage", listener);
      return () => {
        listeners.delete(listener);
        window.removeEventListener("storage", listener);
      };
    },
    read(): string | null {
      try {
        return localStorage.getItem(key);
      } catch {
        return null;
      }
    },
    keep(text: string) {
      try {
        localStorage.setItem(key, text);
      } catch {
        return;
      }
      // Storage events reach only other pages.
      for (const listener of listeners) listener();
    },
  };
}
