"use client";

import { useInBrowser } from "@/components/use-in-browser";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const short = new Intl.RelativeTimeFormat("en", { style: "short" });
const absolute = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium" });

/** Shows the exact time on hover. Empty on the server, which does not know the reader's clock. */
export function RelativeTime({
  at,
  isShort = false,
}: {
  at: string /** for columns: "5 min ago" */;
  isShort?: boolean;
}) {
  const isInBrowser = useInBrowser();
  const date = new Date(at);
  return (
    <time dateTime={at} title={isInBrowser ? absolute.format(date) : undefined} className="whitespace-nowrap">
      {isInBrowser && inWords((date.getTime() - Date.now()) / 1_000, isShort)}
    </time>
  );
}

export function formatTime(at: string): string {
  return absolute.format(new Date(at));
}

function inWords(seconds: number, isShort: boolean): string {
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) < length) continue;
    const words = (isShort && unit !== "day" ? short : relative).format(Math.trunc(seconds / length), unit);
    return isShort ? words.replace(".", "") : words;
  }
  return "just now";
}

/** A length of time in its largest unit, such as "40 s" or "3 days". */
export function durationInWords(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** A time in UTC, such as "2027-01-31 23:00 UTC". */
export function utcOf(at: string): string {
  return `${at.slice(0, 16).replace("T", " ")} UTC`;
}
