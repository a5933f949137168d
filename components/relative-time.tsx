import { type ReactNode, useSyncExternalStore } from "react";
import { timeFormat, useZone } from "@/components/ui/time-zone";

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "always" });
const short = new Intl.RelativeTimeFormat("en", { style: "short" });
// Exact times name the zone.
const absolute = timeFormat({ dateStyle: "medium", timeStyle: "long" });
const dayAndTime = timeFormat({
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
});
const clock = timeFormat({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

interface RelativeTimeProps {
  at: string;
  /** for columns: "5 min ago" */
  isShort?: boolean;
  /** other words for the time, such as "in 62 days" */
  children?: ReactNode;
}

/** Shows the exact time on hover. Empty on the server, which does not know the reader's clock. */
export function RelativeTime({ at, isShort = false, children }: RelativeTimeProps) {
  const format = (date: Date) => inWords((date.getTime() - Date.now()) / 1_000, isShort);
  return (
    <LocalTime at={at} format={format}>
      {children}
    </LocalTime>
  );
}

/** A {@link RelativeTime} that stands out of a muted sentence. */
export function StrongTime(time: Omit<RelativeTimeProps, "children">) {
  return (
    <b className="font-medium text-text">
      <RelativeTime {...time} />
    </b>
  );
}

/** The time of day, such as "16:02", under a heading that gives the day. */
export function ClockTime({ at }: { at: string }) {
  return <LocalTime at={at} format={clock.format} />;
}

/** A time some days from now, such as "Nov 25, 4:02 PM GMT+1". */
export function DayAndTime({ at }: { at: string }) {
  return <LocalTime at={at} format={dayAndTime.format} />;
}

function LocalTime({ at, format, children }: { at: string; format: (date: Date) => string; children?: ReactNode }) {
  const zone = useZone();
  // Words such as "5 min ago" change every minute.
  useSyncExternalStore(everyMinute, minute, () => 0);
  return (
    <time dateTime={at} title={zone && inBothZones(at)} className="whitespace-nowrap">
      {children ?? (zone && format(new Date(at)))}
    </time>
  );
}

const MINUTE_MS = 60_000;
const minute = () => Math.floor(Date.now() / MINUTE_MS);

/** The times on the page, which share one timer: a list shows hundreds. */
const shown = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function everyMinute(listener: () => void) {
  shown.add(listener);
  timer ??= setInterval(() => {
    for (const render of shown) render();
  }, MINUTE_MS);
  return () => {
    shown.delete(listener);
    if (shown.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** "Nov 25, 2026, 4:02:11 PM GMT+1, 15:02:11 UTC", or "Nov 25, 2026, 3:02:11 PM UTC" where UTC is the zone. */
export function inBothZones(at: string): string {
  const text = formatTime(at);
  return text.endsWith("UTC") ? text : `${text}, ${new Date(at).toISOString().slice(11, 19)} UTC`;
}

/** "Nov 25, 2026, 4:02:11 PM GMT+1" */
export function formatTime(at: string): string {
  return absolute.format(new Date(at));
}

function inWords(seconds: number, isShort: boolean): string {
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) < length) continue;
    const words = (isShort && unit !== "day" ? short : relative).format(Math.trunc(seconds / length), unit);
    return isShort ? words.replace(".", "") : words;
  }
  // A few seconds ahead still count as now, as clocks differ.
  return seconds > 5 ? "in a moment" : "just now";
}

/** The duration between two times in its largest unit, such as "40 s" or "3 days". */
export function durationBetween(from: string, to: string): string {
  const seconds = Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 1_000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** A time in UTC, such as "2027-01-31 23:00 UTC". */
export function utcOf(at: string): string {
  return `${at.slice(0, 16).replace("T", " ")} UTC`;
}
