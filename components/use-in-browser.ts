import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether browser-only data such as the reader's clock can be shown: not on the server, nor during hydration. */
export function useInBrowser(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}

/** The dashboard's origin; empty on the server. */
export function useOrigin(): string {
  return useInBrowser() ? window.location.origin : "";
}
