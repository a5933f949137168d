import { useState, useSyncExternalStore } from "react";
import type { Group } from "@/lib/groups/queries";
import { memberTexts } from "@/lib/json/exact-json";

/** A column after the name: `id`, `used`, `updated`, or `property:NAME`. */
export type Column = string;

const PREFIX = "property:";
/** Properties shown until a member chooses. */
const SHOWN = 3;
const MAX_COLUMNS = 20;
/** Browsers drop larger cookies. */
const MAX_BYTES = 3_500;
const YEAR_S = 31_536_000;

export const FIXED: Record<string, string> = { id: "Id", used: "Last used", updated: "Updated" };

export const propertyColumn = (name: string): Column => `${PREFIX}${name}`;

/** The property that a column shows; undefined for another column. */
export function propertyOf(column: Column): string | undefined {
  return column.startsWith(PREFIX) ? column.slice(PREFIX.length) : undefined;
}

export function labelOf(column: Column): string {
  return FIXED[column] ?? propertyOf(column) ?? column;
}

/** The choice in a cookie's decoded value; undefined without a valid one. */
export function readColumns(value: string | undefined): Column[] | undefined {
  try {
    const columns: unknown = JSON.parse(value ?? "");
    if (!Array.isArray(columns)) return undefined;
    const known = columns.filter(
      (one): one is Column => typeof one === "string" && (one in FIXED || one.startsWith(PREFIX)),
    );
    return [...new Set(known)].slice(0, MAX_COLUMNS);
  } catch {
    return undefined;
  }
}

/** By environment, once changed on this page; its cookie is sent with the list only, so that it arrives as chosen. */
const changed = new Map<string, Column[] | undefined>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function keep(slug: string, columns: Column[] | undefined) {
  changed.set(slug, columns);
  const value = encodeURIComponent(JSON.stringify(columns ?? null));
  const age = columns === undefined || value.length > MAX_BYTES ? 0 : YEAR_S;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in plain http
  document.cookie = `columns=${age === 0 ? "" : value}; Path=/${slug}/groups; Max-Age=${age}; SameSite=Lax`;
  for (const listener of listeners) listener();
}

/** The chosen columns, or those that suit the first groups seen; undefined until one of the two is known. */
export function useColumns(slug: string, sent: Column[] | undefined, groups: Group[] | undefined) {
  const own = useSyncExternalStore(
    subscribe,
    () => (changed.has(slug) ? changed.get(slug) : sent),
    () => sent,
  );
  const [usual, setUsual] = useState(() => usualColumns(groups));
  // Only once: columns must not change from page to page.
  if (!usual && groups && groups.length > 0) setUsual(usualColumns(groups));
  return {
    columns: own ?? usual,
    isChosen: own !== undefined,
    setColumns: (columns: Column[] | undefined) => keep(slug, columns?.slice(0, MAX_COLUMNS)),
  };
}

function usualColumns(groups: Group[] | undefined): Column[] | undefined {
  if (!groups || groups.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const { properties } of groups) {
    for (const [name, value] of memberTexts(properties ?? "{}")) {
      if (/^[[{]/.test(value) || name.length > 40) continue;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  const names = [...counts].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return ["id", ...names.slice(0, SHOWN).map(propertyColumn), "used", "updated"];
}
