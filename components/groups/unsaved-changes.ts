import { changedParts, inWords } from "@/components/changes/changes";
import type { UnsavedChange } from "@/components/save-bar";
import type { GroupForm } from "@/lib/groups/schema";

type Fields = Pick<GroupForm, "name" | "mapping" | "properties">;

/** What saving a form would change, by property: at least one change for each field that differs. */
export function unsavedChanges(saved: Fields, fields: Fields): UnsavedChange[] {
  const parts = changedParts(stateOf(saved), stateOf(fields));
  return (["name", "mapping", "properties"] as const)
    .filter((name) => saved[name] !== fields[name])
    .flatMap((name) => {
      const { changes = [] } = parts.find(({ label }) => label.toLowerCase() === name) ?? {};
      if (changes.length === 0) return [{ label: name, before: undefined, after: undefined }];
      return changes.map(({ key, before, after }) => ({
        label: name === "mapping" ? `schema ${key}` : (key ?? name),
        before: before === undefined ? undefined : inWords(before),
        after: after === undefined ? undefined : inWords(after),
      }));
    });
}

function stateOf({ name, mapping, properties }: Fields) {
  const isNone = properties.trim() === "null";
  return { kind: "group" as const, providedId: null, name, mapping, properties: isNone ? null : properties };
}
