import { useSyncExternalStore } from "react";

/**
 * What only the browser knows: the reader's clock, the address as it was typed. The server, and the browser while it takes
 * over what the server sent, have the other value.
 */
export function useInBrowser<T extends string | boolean>(read: () => T, elsewhere: T): T {
  return useSyncExternalStore(never, read, () => elsewhere);
}

/** Where the dashboard is open; empty in the server. */
export function useOrigin(): string {
  return useInBrowser(() => window.location.origin, "");
}

const never = () => () => {};
