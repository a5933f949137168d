import { useCallback, useSyncExternalStore } from "react";
import type { GroupReference } from "@/lib/groups/schema";

export type SelectedGroups = ReadonlyMap<number, GroupReference>;

const NONE: SelectedGroups = new Map();
/** By environment slug. Kept in memory only: a reload clears it. */
const selections = new Map<string, SelectedGroups>();
const listeners = new Set<() => void>();

function setSelection(slug: string, selection: SelectedGroups) {
  selections.set(slug, selection);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The groups selected in an environment; they survive searches and visits to other pages. */
export function useSelection(slug: string): [SelectedGroups, (selection: SelectedGroups) => void] {
  const read = () => selections.get(slug) ?? NONE;
  const selection = useSyncExternalStore(subscribe, read, () => NONE);
  return [selection, useCallback((next: SelectedGroups) => setSelection(slug, next), [slug])];
}

/** Adds groups to the selection, which may have changed since the request. */
export function select(slug: string, groups: GroupReference[]) {
  setSelection(slug, withGroups(selections.get(slug) ?? NONE, groups));
}

/** Removes deleted groups from the selection. */
export function deselect(slug: string, deleted: { teamId: number }[]) {
  setSelection(slug, withoutGroups(selections.get(slug) ?? NONE, deleted));
}

export function withGroups(selection: SelectedGroups, groups: GroupReference[]): SelectedGroups {
  const added = groups.map(({ teamId, providedId, name }) => [teamId, { teamId, providedId, name }] as const);
  return new Map([...selection, ...added]);
}

export function withoutGroups(selection: SelectedGroups, groups: { teamId: number }[]): SelectedGroups {
  const gone = new Set(groups.map(({ teamId }) => teamId));
  return new Map([...selection].filter(([teamId]) => !gone.has(teamId)));
}
