"use client";

import { useCallback, useSyncExternalStore } from "react";
import type { GroupReference } from "@/lib/groups/schema";

export type Selection = ReadonlyMap<number, GroupReference>;

const NONE: Selection = new Map();
/** By environment slug. Kept in memory only: a reload clears it. */
const selections = new Map<string, Selection>();
const listeners = new Set<() => void>();

function setSelection(slug: string, selection: Selection) {
  selections.set(slug, selection);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The groups selected in an environment; they survive searches and visits to other pages. */
export function useSelection(slug: string): [Selection, (selection: Selection) => void] {
  const read = () => selections.get(slug) ?? NONE;
  const selection = useSyncExternalStore(subscribe, read, () => NONE);
  return [selection, useCallback((next: Selection) => setSelection(slug, next), [slug])];
}

/** Adds groups to the selection, which may have changed since the request. */
export function select(slug: string, groups: GroupReference[]) {
  setSelection(slug, withGroups(selections.get(slug) ?? NONE, groups));
}

/** Removes deleted groups from the selection. */
export function deselect(slug: string, deleted: { teamId: number }[]) {
  setSelection(slug, withoutGroups(selections.get(slug) ?? NONE, deleted));
}

export function withGroups(selection: Selection, groups: GroupReference[]): Selection {
  const added = groups.map(({ teamId, providedId, name }) => [teamId, { teamId, providedId, name }] as const);
  return new Map([...selection, ...added]);
}

export function withoutGroups(selection: Selection, groups: { teamId: number }[]): Selection {
  const gone = new Set(groups.map(({ teamId }) => teamId));
  return new Map([...selection].filter(([teamId]) => !gone.has(teamId)));
}
