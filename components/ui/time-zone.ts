import { useSyncExternalStore } from "react";
import { browserStore, oneOf } from "@/components/ui/browser-store";

export type Zone = "local" | "utc";

// Times are shown and entered in the browser's zone or in UTC, as chosen in this browser.
const stored = browserStore("time-zone", oneOf<Zone>(["local", "utc"]));

export const chooseZone = stored.keep;

const isUtc = () => stored.read() === "utc";

/** Undefined on the server and during hydration, which do not know the reader's zone. */
export function useZone(): Zone | undefined {
  return useSyncExternalStore(
    stored.subscribe,
    () => stored.read() ?? "local",
    () => undefined,
  );
}

/** Writes times in the chosen zone. */
export function timeFormat(options: Intl.DateTimeFormatOptions): { format: (date: Date) => string } {
  const local = new Intl.DateTimeFormat("en", options);
  let utc: Intl.DateTimeFormat | undefined;
  return {
    format(date) {
      if (!isUtc()) return local.format(date);
      utc ??= new Intl.DateTimeFormat("en", { ...options, timeZone: "UTC" });
      return utc.format(date);
    },
  };
}

/** The start of a time's day in the chosen zone, or of a later day. Local days may have 23 or 25 hours. */
export function startOfDay(date: Date, later = 0): Date {
  return isUtc()
    ? new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + later))
    : new Date(date.getFullYear(), date.getMonth(), date.getDate() + later);
}

/** The chosen zone's offset from UTC at an instant, in milliseconds. */
export function offsetAt(date: Date): number {
  return isUtc() ? 0 : -date.getTimezoneOffset() * 60_000;
}

/** Suffix for a date and time without a zone, so that it is parsed in the chosen one. */
export const zoneSuffix = () => (isUtc() ? "Z" : "");

/** The chosen zone at an instant, such as "GMT+1" or "EST". */
export function zoneAt(at: string | null, zone: Zone = stored.read() ?? "local"): string {
  if (zone === "utc") return "UTC";
  const parts = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(at ? new Date(at) : new Date());
  return parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
}
