import { type ChangedPart, compare, type Members, membersOf, plain } from "@/components/changes/changes";

/** The differences between two definitions, member by member; an added or removed one is shown whole. */
export function definitionParts(before: string, after: string): ChangedPart[] {
  const [was, is] = [membersOf(before), membersOf(after)];
  const named = ["properties", "schemas", "data_sources"].map((member) => {
    const [had, has] = [membersOf(was.get(member)), membersOf(is.get(member))];
    const flat = (own: Members, other: Members) =>
      new Map(
        [...own].flatMap(([name, text]) => (other.has(name) ? detailsOf(name, text) : [[name, ruleInWords(text)]])),
      );
    return compare(
      spaced(member).replace(/^./, (first) => first.toUpperCase()),
      flat(had, has),
      flat(has, had),
    );
  });
  const rules = (all: Members) =>
    new Map([...all].flatMap(([key, text]) => (text[0] === "{" ? [] : [[spaced(key), plain(text)]])));
  const parts = [...named, compare("Settings", rules(was), rules(is))];
  return parts.filter(({ changes, isOrderOnly }) => changes.length > 0 || isOrderOnly);
}

function detailsOf(name: string, text: string): [string, string][] {
  return saidIn(text).map(([member, value]) => [`${name}: ${member}`, value]);
}

/** What a rule sets: "type integer · required". */
export function ruleInWords(rule: string): string {
  return saidIn(rule)
    .map(([member, value]) => (value === "true" && member !== "default" ? member : `${member} ${plain(value)}`))
    .join(" · ");
}

/** An object's members but null, false and empty lists; a default may be false. */
function saidIn(text: string): [string, string][] {
  return [...membersOf(text)].flatMap(([member, value]): [string, string][] =>
    /^(null|false|\[\])$/.test(value) && `${member} ${value}` !== "default false" ? [] : [[spaced(member), value]],
  );
}

function spaced(name: string): string {
  return name.replaceAll("_", " ");
}
