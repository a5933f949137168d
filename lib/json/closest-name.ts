import { closest, distance } from "fastest-levenshtein";

/** Longer names are rarely slightly misspelled, and comparing them costs more. */
const LONGEST = 32;

/** The known name that was probably meant by a misspelled one. */
export function closestName(name: string, known: readonly string[], mostWrong = aThird): string | undefined {
  if (name.length > LONGEST) return undefined;
  // Names differ by at least the difference of their lengths.
  const near = known.filter((one) => Math.abs(one.length - name.length) <= mostWrong(one));
  const guess: string | undefined = closest(name, near);
  return guess && distance(name, guess) <= mostWrong(guess) ? guess : undefined;
}

function aThird({ length }: string): number {
  return 1 + length / 3;
}
