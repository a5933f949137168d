import { useState } from "react";
import { memory } from "@/components/groups/memory";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";

/** A column after the name: one of {@link FIXED}, or `property:NAME`. */
export type Column = string;

const PREFIX = "property:";
/** Properties shown until a member chooses. */
const SHOWN = 3;
/** Longer names are shown only if chosen. */
const MAX_NAME = 40;
const MAX_COLUMNS = 20;
/** Browsers drop larger cookies. */
const MAX_BYTES = 3_500;
const YEAR_S = 31_536_000;

export const FIXED: Record<string, string> = {
  id: "Id",
  used: "Last used",
  updated: "Updated",
  viewers: "Active viewers",
};

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

/** Columns changed since the page loaded; the cookie tells the server only when it next renders the list. */
const changed = memory<Column[] | undefined>();

function keep(slug: string, columns: Column[] | undefined) {
  changed.keep(slug, columns);
  const value = encodeURIComponent(JSON.stringify(columns ?? null));
  const age = columns === undefined || value.length > MAX_BYTES ? 0 : YEAR_S;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in plain http
  document.cookie = `columns=${age === 0 ? "" : value}; Path=/${slug}/groups; Max-Age=${age}; SameSite=Lax`;
}

/** The chosen columns, else the most frequent properties; undefined until either is known. */
export function useColumns(slug: string, sent: Column[] | undefined, summary: SummaryAnswer | undefined) {
  const own = changed.useValue(slug, sent);
  const [usual, setUsual] = useState(() => usualColumns(summary));
  // Set only once: columns must not change when groups do.
  const next = usual ?? usualColumns(summary);
  if (next !== usual) setUsual(next);
  return {
    columns: own ?? usual,
    isChosen: own !== undefined,
    setColumns: (columns: Column[] | undefined) => keep(slug, columns?.slice(0, MAX_COLUMNS)),
  };
}

/** The most frequent properties, except objects, lists and long texts, which do not fit a cell. */
function usualColumns(summary: SummaryAnswer | undefined): Column[] | undefined {
  if (!summary || summary.total === 0) return undefined;
  const names = summary.properties.filter(({ name, values }) => values.length > 0 && name.length <= MAX_NAME);
  return ["id", ...names.slice(0, SHOWN).map(({ name }) => propertyColumn(name)), "used", "updated"];
}
