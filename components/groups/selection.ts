import { memory } from "@/components/groups/memory";
import type { GroupReference } from "@/lib/groups/schema";

export type SelectedGroups = ReadonlyMap<number, GroupReference>;

const NONE: SelectedGroups = new Map();
const selections = memory<SelectedGroups>();

/** The groups selected in an environment; they survive searches and visits to other pages. */
export function useSelection(slug: string) {
  const setSelection = (selection: SelectedGroups) => selections.keep(slug, selection);
  return [selections.useValue(slug, NONE), setSelection] as const;
}

/** Adds groups to the current selection, which may have changed since they were requested. */
export function select(slug: string, groups: GroupReference[]) {
  selections.keep(slug, withGroups(selections.read(slug) ?? NONE, groups));
}

/** Removes deleted groups from the selection. */
export function deselect(slug: string, deleted: { teamId: number }[]) {
  selections.keep(slug, withoutGroups(selections.read(slug) ?? NONE, deleted));
}

export function withGroups(selection: SelectedGroups, groups: GroupReference[]): SelectedGroups {
  const added = groups.map(({ teamId, providedId, name }) => [teamId, { teamId, providedId, name }] as const);
  return new Map([...selection, ...added]);
}

export function withoutGroups(selection: SelectedGroups, groups: { teamId: number }[]): SelectedGroups {
  const gone = new Set(groups.map(({ teamId }) => teamId));
  return new Map([...selection].filter(([teamId]) => !gone.has(teamId)));
}
