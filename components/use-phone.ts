import { useSyncExternalStore } from "react";

// Tailwind's `max-sm`.
const PHONE = "(width < 40rem)";

/** Whether the window is as narrow as a phone; false on the server and during hydration. */
export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, isPhone, () => false);
}

const isPhone = () => matchMedia(PHONE).matches;

function subscribe(onChange: () => void) {
  const query = matchMedia(PHONE);
  query.addEventListener("change", onChange);
  return () => query.removeEventListener("change", onChange);
}
