import { useSyncExternalStore } from "react";

const never = () => () => {};

/**
 * Whether what only the browser knows may be shown, such as the reader's clock: not in the server, nor while the browser takes
 * over what the server sent.
 */
export function useInBrowser(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** Where the dashboard is open; empty in the server. */
export function useOrigin(): string {
  return useInBrowser() ? window.location.origin : "";
}
