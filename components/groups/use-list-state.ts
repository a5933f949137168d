import { useQueryStates } from "nuqs";
import { useEffect } from "react";
import { FIRST, LIST_PARSERS, listStateOf, type PageInUrl, type Sort } from "@/components/groups/list-state";
import { holdsToken } from "@/components/pasted-token";
import type { ListState } from "@/lib/groups/queries";

/** The list's state, kept in the URL. Every change but a page turn goes back to the first page. */
export function useListState() {
  const [parameters, set] = useQueryStates(LIST_PARSERS, { history: "push" });
  const list = listStateOf(parameters);
  const holdsSecret = holdsToken(parameters.search) || parameters.filter.some(holdsToken);
  useEffect(() => {
    const { search, filters } = list;
    if (holdsSecret) void set({ search, filter: filters }, { history: "replace" });
  });
  /** Shows another list, from its first page. */
  const show = ({ filters, sort, ...rest }: Partial<ListState>) =>
    set({ ...rest, ...(filters && { filter: filters }), ...(sort && { sort: sort as Sort }), ...FIRST });
  return {
    list,
    /** the place of the first group on this page, counted from 1 */
    from: parameters.from,
    isFiltered: [list.search, ...list.filters, list.state, list.used].some((one) => one !== ""),
    show,
    /** Typing replaces the history entry, so that one step back leaves the search. */
    setSearch: (search: string) =>
      set({ search, ...FIRST }, { history: list.search === "" || search === "" ? "push" : "replace" }),
    setPage: (page: PageInUrl, options?: { history: "replace" }) => set(page, options),
    clear: () => show({ search: "", filters: [], state: "", used: "" }),
  };
}

export type ListInUrl = ReturnType<typeof useListState>;
