import { closest, distance } from "fastest-levenshtein";

/** Nobody misspells a longer name so slightly, and each comparison costs by length. */
const LONGEST = 32;

/** The known name that was probably meant by a misspelled one. */
export function closestName(name: string, known: readonly string[], mostWrong = aThird): string | undefined {
  if (name.length > LONGEST) return undefined;
  // As many letters as the lengths differ by are wrong at least.
  const near = known.filter((one) => Math.abs(one.length - name.length) <= mostWrong(one));
  const guess: string | undefined = closest(name, near);
  return guess && distance(name, guess) <= mostWrong(guess) ? guess : undefined;
}

function aThird({ length }: string): number {
  return 1 + length / 3;
}
