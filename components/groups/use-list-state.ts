"use client";

import { useQueryStates } from "nuqs";
import { useEffect } from "react";
import { LIST_PARSERS, listStateOf, type Sort } from "@/components/groups/list-state";

/** The list's state, kept in the URL. Every change but a page turn goes back to the first page. */
export function useListState() {
  const [parameters, set] = useQueryStates(LIST_PARSERS, { history: "push" });
  const list = listStateOf(parameters);
  const holdsSecret = list.search !== parameters.search || list.filters.length < parameters.filter.length;
  useEffect(() => {
    if (holdsSecret) void set({ search: list.search, filter: list.filters }, { history: "replace" });
  });
  return {
    list,
    isFiltered: list.search !== "" || list.filters.length > 0 || list.state !== "" || list.used !== "",
    /** Typing replaces the history entry, so that one step back leaves the search. */
    setSearch: (search: string) =>
      set({ search, cursor: "" }, { history: list.search === "" || search === "" ? "push" : "replace" }),
    setFilters: (filter: string[]) => set({ filter, cursor: "" }),
    setState: (state: string) => set({ state, cursor: "" }),
    setUsed: (used: string) => set({ used, cursor: "" }),
    setSort: (sort: string) => set({ sort: sort as Sort, cursor: "" }),
    setCursor: (cursor: string) => set({ cursor }),
    /** Leaves a page that no longer exists. */
    goToFirst: () => set({ cursor: "" }, { history: "replace" }),
    clear: () => set({ search: "", filter: [], state: "", used: "", cursor: "" }),
  };
}
