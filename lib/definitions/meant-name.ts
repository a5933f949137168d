import { closestName } from "@/lib/json/closest-name";

/** How many times as frequent as a misspelling a name must be, unless it is defined. */
const RATIO = 10;

/**
 * Makes a function that finds the defined or much more frequent name that an undefined one was probably meant to be.
 * Names with other digits are different names.
 */
export function meantNames(
  defined: readonly string[],
  counts: ReadonlyMap<string, number>,
): (name: string) => string | undefined {
  // Usually few: this spares each look-up a scan of all names.
  const frequent = [...counts].filter(([, count]) => count >= RATIO);
  return (name) => {
    const least = RATIO * (counts.get(name) ?? 1);
    const known = frequent.filter(([, count]) => count >= least).map(([one]) => one);
    const guess = closestName(name, [...defined, ...known], ({ length }) => Math.min(2, length / 3));
    return guess !== undefined && digitsIn(guess) === digitsIn(name) ? guess : undefined;
  };
}

function digitsIn(name: string): string {
  return name.replace(/\D+/g, "");
}
