import { distance } from "fastest-levenshtein";

/** How many groups have a property of each name, of a sample. */
export type NameCounts = ReadonlyMap<string, number>;

/**
 * How many times as frequent as a misspelling a name must be, unless it is defined, and in how many groups of a sample.
 */
const RATIO = 10;
const LEAST = 10;
/** Names of other lengths are compared by their letters' case and separators alone. */
const LENGTHS = { least: 4, most: 60 };
/** The most frequent names of a sample to compare with, and names to remember an answer for. */
const MAX_KNOWN = 1_000;
const MAX_REMEMBERED = 10_000;

/**
 * Makes a function that finds the name that another one is probably meant to be: a defined or much more frequent one,
 * which differs by case, separators or one letter.
 */
export function nearNames(defined: readonly string[], counts: NameCounts): (name: string) => string | undefined {
  const isDefined = new Set(defined);
  const frequent = [...counts].filter(([name, count]) => count >= LEAST && !isDefined.has(name)).sort(byCount);
  const known = [...defined, ...frequent.slice(0, MAX_KNOWN).map(([name]) => name)].map(spelled);
  const find = (given: string) => {
    const most = RATIO * (counts.get(given) ?? 1);
    const isLike = ({ name }: Spelled) => name !== given && (isDefined.has(name) || (counts.get(name) ?? 0) >= most);
    const one = spelled(given);
    const same = known.find((other) => other.spelling === one.spelling && isLike(other));
    return (same ?? known.find((other) => isNear(one, other) && isLike(other)))?.name;
  };
  const remembered = new Map<string, string | undefined>();
  return (name) => {
    if (isDefined.has(name)) return undefined;
    if (remembered.has(name)) return remembered.get(name);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    const found = find(name);
    remembered.set(name, found);
    return found;
  };
}

function byCount([name, count]: [string, number], [otherName, other]: [string, number]): number {
  return other - count || (name < otherName ? -1 : 1);
}

interface Spelled {
  name: string;
  /** without what says nothing: letter case, and separators */
  spelling: string;
  digits: string;
}

function spelled(name: string): Spelled {
  const spelling = name.toLowerCase().replace(/[\s._:/-]+/g, "") || name;
  return { name, spelling, digits: spelling.replace(/\D+/g, "") };
}

/** Whether two spellings differ by one letter that is added, replaced or swapped with the next; digits are meant. */
function isNear({ spelling: one, digits }: Spelled, { spelling: other, digits: others }: Spelled): boolean {
  const [short, long] = [Math.min(one.length, other.length), Math.max(one.length, other.length)];
  if (digits !== others || long - short > 1 || long < LENGTHS.least || long > LENGTHS.most) return false;
  const apart = distance(one, other);
  if (apart !== 2) return apart === 1;
  let at = 0;
  while (one[at] === other[at]) at++;
  return one.slice(0, at) + (one[at + 1] ?? "") + one[at] + one.slice(at + 2) === other;
}
