// Values of date fields: times in the chosen zone, without offset or fractions of seconds.
import { offsetAt, zoneSuffix } from "@/components/ui/time-zone";

export type FieldKind = "time" | "day";

/** The last day that date fields accept. Without a limit, browsers accept years of five and six digits. */
export const LAST_DAY = "9999-12-30";
const FIRST_YEAR = 1970;

/** An instant as a field's value; blank for none. */
export function writeLocal(at: string | null, kind: FieldKind): string {
  if (at === null) return "";
  const date = new Date(at);
  const local = new Date(date.getTime() + offsetAt(date)).toISOString();
  return /^\d{4}-/.test(local) ? local.slice(0, kind === "day" ? 10 : 19) : "";
}

/**
 * The instant of a field's value, for a day its end; null if blank, undefined if invalid. An unchanged value gives the
 * stored instant exactly: the text has no milliseconds, nor the offset when clocks go back.
 */
export function readLocal(text: string, stored: string | null, kind: FieldKind): string | null | undefined {
  if (text === "") return null;
  // Browsers omit seconds if they are zero.
  if ([text, `${text}:00`].includes(writeLocal(stored, kind))) return stored;
  const [, year] = /^(\d{4})-/.exec(text) ?? [];
  const date = new Date(`${kind === "day" ? `${text}T23:59:59` : text}${zoneSuffix()}`);
  if (Number(year ?? 0) < FIRST_YEAR || Number.isNaN(date.getTime()) || text.slice(0, 10) > LAST_DAY) return undefined;
  return date.toISOString();
}
