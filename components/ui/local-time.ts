// Times in date fields, which know neither seconds' fractions nor offsets. They are in the chosen zone.
import { offsetAt, zoneSuffix } from "@/components/ui/time-zone";

export type FieldKind = "time" | "day";

/** The last day of a date field. Without a limit browsers take years of five and six digits. */
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
 * The instant that a field's value names, of a day its end; null for none, undefined if it is none. The value of the
 * stored instant names that one, whose milliseconds and offset, where clocks go back, the value does not tell.
 */
export function readLocal(text: string, stored: string | null, kind: FieldKind): string | null | undefined {
  if (text === "") return null;
  // Browsers leave out seconds of zero.
  if ([text, `${text}:00`].includes(writeLocal(stored, kind))) return stored;
  const [, year] = /^(\d{4})-/.exec(text) ?? [];
  const date = new Date(`${kind === "day" ? `${text}T23:59:59` : text}${zoneSuffix()}`);
  if (Number(year ?? 0) < FIRST_YEAR || Number.isNaN(date.getTime()) || text.slice(0, 10) > LAST_DAY) return undefined;
  return date.toISOString();
}
