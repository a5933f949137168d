/** How many groups have a property of each name, of a sample. */
export type NameCounts = ReadonlyMap<string, number>;

/** How many times as frequent as a misspelling a name must be, unless it is defined, and in how many groups of a sample. */
const RATIO = 10;
const LEAST = 10;
/** Names of other lengths are compared by their letters' case and separators alone. */
const LENGTHS = { least: 4, most: 60 };
/** The most frequent names of a sample to compare with, and names to remember an answer for. */
const MOST_KNOWN = 1_000;
const MOST_REMEMBERED = 10_000;

/**
 * Makes a function that finds the name that another one is probably meant to be: a defined or much more frequent one, which differs
 * by case, separators or one letter.
 */
export function nearNames(defined: readonly string[], counts: NameCounts): (name: string) => string | undefined {
  const isDefined = new Set(defined);
  const frequent = [...counts].filter(([name, count]) => count >= LEAST && !isDefined.has(name)).sort(byCount);
  const known = [...defined, ...frequent.slice(0, MOST_KNOWN).map(([name]) => name)];
  const [bySpelling, byRest] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const name of known) {
    const spelling = spellingOf(name);
    add(bySpelling, spelling, name);
    for (const rest of restsOf(spelling)) add(byRest, rest, name);
  }
  const find = (name: string) => {
    const most = RATIO * (counts.get(name) ?? 1);
    const isLike = (other: string) => other !== name && (isDefined.has(other) || (counts.get(other) ?? 0) >= most);
    const spelling = spellingOf(name);
    const same = bySpelling.get(spelling)?.find(isLike);
    if (same !== undefined) return same;
    for (const rest of restsOf(spelling)) {
      const near = byRest.get(rest)?.find((other) => isLike(other) && isOneLetterApart(spelling, spellingOf(other)));
      if (near !== undefined) return near;
    }
    return undefined;
  };
  const remembered = new Map<string, string | undefined>();
  return (name) => {
    if (isDefined.has(name)) return undefined;
    if (remembered.has(name)) return remembered.get(name);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    const found = find(name);
    remembered.set(name, found);
    return found;
  };
}

function byCount([name, count]: [string, number], [otherName, other]: [string, number]): number {
  return other - count || (name < otherName ? -1 : 1);
}

function add(names: Map<string, string[]>, key: string, name: string) {
  const list = names.get(key);
  if (list) list.push(name);
  else names.set(key, [name]);
}

/** A name without what says nothing: letter case, and separators. */
function spellingOf(name: string): string {
  return name.toLowerCase().replace(/[\s._:/-]+/g, "") || name;
}

/** A spelling, and each form of it without one character: spellings one letter apart share one. */
function restsOf(spelling: string): string[] {
  if (spelling.length > LENGTHS.most) return [];
  return [...new Set([spelling, ...Array.from(spelling, (_, n) => spelling.slice(0, n) + spelling.slice(n + 1))])];
}

/** Whether two spellings differ by one letter that is added, replaced or swapped with the next; digits are meant. */
export function isOneLetterApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length < LENGTHS.least || long.length > LENGTHS.most || long.length - short.length > 1) return false;
  let at = 0;
  while (at < short.length && short[at] === long[at]) at++;
  const isLetter = (text: string) => text !== "" && !/\d/.test(text);
  if (short.length < long.length) return isLetter(long.slice(at, at + 1)) && short.slice(at) === long.slice(at + 1);
  const [a, b] = [short.slice(at), long.slice(at)];
  if (!isLetter(a.slice(0, 1)) || !isLetter(b.slice(0, 1))) return false;
  if (a.slice(1) === b.slice(1)) return true;
  return a[0] === b[1] && a[1] === b[0] && isLetter(a.slice(1, 2)) && a.slice(2) === b.slice(2);
}
