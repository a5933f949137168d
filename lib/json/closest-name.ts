import { closest, distance } from "fastest-levenshtein";

/** The known name that was probably meant by a misspelt one. */
export function closestName(name: string, known: readonly string[]): string | undefined {
  const guess = name.length <= 100 ? closest(name, known) : undefined;
  return guess && distance(name, guess) <= 1 + guess.length / 3 ? guess : undefined;
}
