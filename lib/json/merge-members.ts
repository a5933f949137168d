import { itemsOf } from "@/lib/json/exact-json";

/** Three versions of a JSON object or null, as text without white space: `base`, and two changed versions of it. */
export interface Versions<Text> {
  base: Text;
  mine: Text;
  theirs: Text;
}

/** A member in each version, its value as spelled; undefined where there is none. */
interface MemberVersions extends Versions<string | undefined> {
  name: string;
}

/** Whether both sides changed a member, differently. */
export function isCollision({ base, mine, theirs }: Versions<string | undefined>): boolean {
  return mine !== base && theirs !== base && mine !== theirs;
}

/** A member changed by only one side takes that side's value; a member changed by both takes the value of `mine`. */
export const mergedValue = ({ base, mine, theirs }: Versions<string | undefined>) => (mine === base ? theirs : mine);

/** The merged text: values come from `valueFor`, the order from the side that changed it. */
export function mergeMembers(
  versions: Versions<string>,
  valueFor: (member: MemberVersions) => string | undefined = mergedValue,
): string {
  const members = spelledVersions(versions).flatMap(({ key, ...member }) => {
    const value = valueFor(member);
    return value === undefined ? [] : [`${key}:${value}`];
  });
  if (members.length > 0) return `{${members.join(",")}}`;
  const isNull = (text: string) => text === "null";
  const { base, mine, theirs } = versions;
  return isNull(isNull(mine) === isNull(base) ? theirs : mine) ? "null" : "{}";
}

/** The members of all versions. */
export function memberVersions(versions: Versions<string>): MemberVersions[] {
  return spelledVersions(versions).map(({ key, ...member }) => member);
}

function spelledVersions({ base, mine, theirs }: Versions<string>): (MemberVersions & { key: string })[] {
  const [was, own, other] = [placesOf(base), placesOf(mine), placesOf(theirs)];
  const [first, second] = isSameOrder(was, other) ? [own, other] : [other, own];
  const names = [...first.keys()];
  for (const added of [second, was]) {
    // An added name follows the same name as in its own version.
    let at = 0;
    for (const name of added.keys()) {
      const found = names.indexOf(name);
      if (found < 0) names.splice(at, 0, name);
      at = (found < 0 ? at : found) + 1;
    }
  }
  return names.map((name) => ({
    name,
    key: (first.get(name) ?? second.get(name) ?? was.get(name))?.key ?? "",
    base: was.get(name)?.text,
    mine: own.get(name)?.text,
    theirs: other.get(name)?.text,
  }));
}

type Places = ReadonlyMap<string, { key: string; text: string }>;

function placesOf(text: string): Places {
  return new Map(itemsOf(text).map((place) => [place.name, place]));
}

function isSameOrder(one: Places, other: Places): boolean {
  const shared = [...one.keys()].filter((name) => other.has(name));
  const there = [...other.keys()].filter((name) => one.has(name));
  return shared.every((name, index) => name === there[index]);
}
