/** UTC days, both included, as in 2026-11-20. */
export interface Days {
  from: string;
  to: string;
}

/** A row's daily counts in a month, from the first day on; the last days can be missing. */
export interface MonthOfDays {
  /** its first day */
  month: string;
  days: (string | number | null)[];
}

const DAY_MS = 86_400_000;

export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The `count` days that end with `to`. */
export function daysUpTo(to: string, count: number): Days {
  return { from: dayAfter(to, 1 - count), to };
}

export function dayAfter(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * DAY_MS));
}

export function daysIn({ from, to }: Days): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
}

/** The first days of the first and of the last month. */
export function monthsOf({ from, to }: Days): [first: string, last: string] {
  return [`${from.slice(0, 7)}-01`, `${to.slice(0, 7)}-01`];
}

/** The counts of each day, summed up over rows. */
export function countsOf(months: MonthOfDays[], days: Days): number[] {
  const counts = new Array<number>(daysIn(days)).fill(0);
  for (const { month, days: stored } of months) {
    const start = (Date.parse(month) - Date.parse(days.from)) / DAY_MS;
    for (const [index, count] of stored.entries()) {
      const place = start + index;
      if (place >= 0 && place < counts.length) counts[place] = (counts[place] ?? 0) + Number(count ?? 0);
    }
  }
  return counts;
}
