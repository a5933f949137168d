import { closestName } from "@/lib/json/closest-name";

/** How many times as frequent as a misspelling a name must be, unless it is defined. */
const RATIO = 10;

/**
 * The defined or much more frequent name that an undefined one was probably meant to be. Names with other digits are
 * different names.
 */
export function meantName(
  name: string,
  defined: readonly string[],
  counts: ReadonlyMap<string, number>,
): string | undefined {
  const least = RATIO * (counts.get(name) ?? 1);
  const frequent = [...counts.keys()].filter((known) => (counts.get(known) ?? 0) >= least);
  const guess = closestName(name, [...defined, ...frequent], ({ length }) => Math.min(2, length / 3));
  return guess !== undefined && digitsIn(guess) === digitsIn(name) ? guess : undefined;
}

function digitsIn(name: string): string {
  return name.replace(/\D+/g, "");
}
