import { cut, wordsOfSides } from "@/components/changes/changes";
import type { UnsavedChange } from "@/components/save-bar";
import type { Group } from "@/lib/groups/queries";
import { stringIn } from "@/lib/json/exact-value";
import { compactObject } from "@/lib/json/json";
import { memberVersions, mergedValue, mergeMembers, type Versions } from "@/lib/json/merge-members";
import { patchBetween } from "@/lib/json/merge-patch";
import { rawJson } from "@/lib/json/raw-json";

const PARTS = ["name", "properties", "mapping"] as const;
type Part = (typeof PARTS)[number];

/** A group's editable fields; mapping and properties are JSON text without white space. */
export type GroupTexts = Record<Part, string>;

/** The name, or a member, in each version as JSON text. */
export interface MergedChange extends Versions<string | undefined> {
  part: Part;
  key: string;
}

/** Which side's value is kept where both changed it, by {@link collisionKey}. */
export type Choices = ReadonlyMap<string, "mine" | "theirs">;

export function textsOf({ name, mapping, properties }: Pick<Group, "name" | "mapping" | "properties">): GroupTexts {
  const compact = (text: string) => compactObject(text) ?? text;
  return { name, mapping: compact(mapping), properties: compact(properties ?? "null") };
}

/** What either side changed. */
export function changesOf(versions: Versions<GroupTexts>): MergedChange[] {
  return PARTS.flatMap((part) =>
    part === "name"
      ? [nameOf(versions)]
      : memberVersions(each(versions, (texts) => texts[part])).map(({ name: key, ...member }) => ({
          part,
          key,
          ...member,
        })),
  ).filter(({ base, mine, theirs }) => mine !== base || theirs !== base);
}

/** Key of a choice. It includes their value: a newer value is a new question. */
export function collisionKey({ part, key, theirs }: MergedChange): string {
  return JSON.stringify([part, key, theirs]);
}

/** The group with the changes of both sides. */
export function mergeGroup(versions: Versions<GroupTexts>, choices: Choices): GroupTexts {
  const merge = (part: "properties" | "mapping") =>
    mergeMembers(
      each(versions, (texts) => texts[part]),
      ({ name: key, ...member }) => valueFor({ part, key, ...member }, choices),
    );
  return {
    name: JSON.parse(valueFor(nameOf(versions), choices) ?? '""'),
    properties: merge("properties"),
    mapping: merge("mapping"),
  };
}

function nameOf(versions: Versions<GroupTexts>): MergedChange {
  return { part: "name", key: "name", ...each(versions, ({ name }) => JSON.stringify(name)) };
}

/** The value of a change after the merge. */
function valueFor(change: MergedChange, choices: Choices): string | undefined {
  return choices.get(collisionKey(change)) === "theirs" ? change.theirs : mergedValue(change);
}

/** The request for the wanted group: changed members if a merge patch can express them, else changed fields. */
export function requestFor(was: GroupTexts, wanted: GroupTexts) {
  const changed = PARTS.filter((part) => wanted[part] !== was[part]);
  const patches = changed.map((part) => {
    const isWhole = part === "name" || wanted[part] === "null";
    return [part, isWhole ? wanted[part] : patchBetween(was[part], wanted[part])] as const;
  });
  const isPatch = patches.every(([, text]) => text !== undefined);
  const fields = changed.map((part, index) => {
    const text = (isPatch && patches[index]?.[1]) || wanted[part];
    return [part, part === "name" ? text : rawJson(text)];
  });
  return { method: isPatch ? ("PATCH" as const) : ("PUT" as const), fields: Object.fromEntries(fields) };
}

/** Whether a group has the changes of a request, whatever others have changed since. */
export function hasChanges(versions: Versions<GroupTexts>): boolean {
  const { base, mine, theirs } = versions;
  const changes = changesOf(versions).filter((change) => change.mine !== change.base);
  if (changes.length > 0) return changes.every((change) => change.theirs === change.mine);
  return PARTS.every((part) => mine[part] === base[part] || theirs[part] === mine[part]);
}

/** What saving would change, by member: at least one change for each part that differs. */
export function unsavedChanges(saved: GroupTexts, texts: GroupTexts): UnsavedChange[] {
  const changes = changesOf({ base: saved, mine: texts, theirs: saved });
  return PARTS.filter((part) => saved[part] !== texts[part]).flatMap((part) => {
    const found = changes.filter((change) => change.part === part);
    // Null became an empty object or vice versa, or only the order changed.
    if (found.length === 0) return [{ label: part, before: undefined, after: undefined }];
    return found.map((change) => {
      const sides = wordsOfSides((side) => stringIn(side) ?? side, change.base, change.mine);
      const [before, after] = sides.map((side) => (side === undefined ? undefined : cut(side)));
      return { label: nameOfChange(change), before, after };
    });
  });
}

/** What a change is called in a sentence. */
export function nameOfChange({ part, key }: Pick<MergedChange, "part" | "key">): string {
  return part === "mapping" ? `schema ${key}` : key === "" ? '""' : key;
}

function each<From, To>({ base, mine, theirs }: Versions<From>, read: (version: From) => To): Versions<To> {
  return { base: read(base), mine: read(mine), theirs: read(theirs) };
}
