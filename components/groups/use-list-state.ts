"use client";

import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { holdsToken } from "@/components/groups/pasted-token";
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
type Sort = (typeof SORTS)[number]["value"];

const PARSERS = {
  search: parseAsString.withDefault(""),
  filter: parseAsArrayOf(parseAsString).withDefault([]),
  sort: parseAsStringLiteral(SORTS.map(({ value }) => value)).withDefault("-updated"),
  cursor: parseAsString.withDefault(""),
};

/** What the list shows, kept in the address: every change goes back to the first page but the page itself. */
export function useListState() {
  const [{ filter: filters, ...state }, set] = useQueryStates(PARSERS, { history: "push" });
  // A token that somebody put into the address goes no further.
  const search = holdsToken(state.search) ? "" : state.search;
  const list: ListState = { ...state, search, filters };
  return {
    list,
    isFiltered: list.search !== "" || filters.length > 0,
    /** Typing on replaces what was typed before it, so that one step back leaves the search. */
    setSearch: (search: string) =>
      set({ search, cursor: "" }, { history: list.search === "" || search === "" ? "push" : "replace" }),
    setFilters: (filter: string[]) => set({ filter, cursor: "" }),
    setSort: (sort: string) => set({ sort: sort as Sort, cursor: "" }),
    setCursor: (cursor: string) => set({ cursor }),
    /** Leaves a page that there is no more. */
    goToFirst: () => set({ cursor: "" }, { history: "replace" }),
    clear: () => set({ search: "", filter: [], cursor: "" }),
  };
}
