"use client";

import { parseAsArrayOf, parseAsString, useQueryStates } from "nuqs";
import type { ListState } from "@/lib/groups/queries";

/** The orders there are; a minus turns one round. */
export const SORTS = [
  { value: "-updated", label: "Last updated" },
  { value: "updated", label: "First updated" },
  { value: "-created", label: "Newest" },
  { value: "created", label: "Oldest" },
  { value: "name", label: "Name, A to Z" },
  { value: "-name", label: "Name, Z to A" },
  { value: "id", label: "Id, A to Z" },
  { value: "-id", label: "Id, Z to A" },
] as const;

const PARSERS = {
  search: parseAsString.withDefault(""),
  filter: parseAsArrayOf(parseAsString).withDefault([]),
  sort: parseAsString.withDefault("-updated"),
  cursor: parseAsString.withDefault(""),
};

/** What the list shows, kept in the address: every change goes back to the first page but the page itself. */
export function useListState() {
  const [{ filter: filters, ...state }, set] = useQueryStates(PARSERS, { history: "push" });
  const list: ListState = { ...state, filters };
  return {
    list,
    isFiltered: list.search !== "" || filters.length > 0,
    /** Typing on replaces what was typed before it, so that one step back leaves the search. */
    setSearch: (search: string) =>
      set({ search, cursor: "" }, { history: list.search === "" || search === "" ? "push" : "replace" }),
    setFilters: (filter: string[]) => set({ filter, cursor: "" }),
    setSort: (sort: string) => set({ sort, cursor: "" }),
    setCursor: (cursor: string) => set({ cursor }),
    clear: () => set({ search: "", filter: [], cursor: "" }),
  };
}
