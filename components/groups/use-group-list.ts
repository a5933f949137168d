import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { groupsIn } from "@/components/count";
import { toastFailure } from "@/components/failure";
import { isAboutFields } from "@/components/form-issues";
import { FIRST, pageBefore, viewOf } from "@/components/groups/list-state";
import type { SelectedGroups } from "@/components/groups/selection";
import type { ListInUrl } from "@/components/groups/use-list-state";
import { announce } from "@/components/ui/announcer";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { fetchMatches } from "@/lib/groups/bulk-queries";
import { type Group, type GroupPage, groupListQuery } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";

/** The page of groups that the URL asks for, and its loading state. */
export function useGroupList(state: ListInUrl) {
  const { list, from, setPage } = state;
  const { data, error, isPlaceholderData, isFetching, refetch } = useQuery(groupListQuery(useEnvironmentSlug(), list));
  const isNone = data?.groups.length === 0 && !isPlaceholderData;
  const isPageGone = isNone && list.cursor !== "";
  const isCursorStale = error !== null && isAboutFields(error, ["cursor"]);
  // The page's last group was deleted or moved, or no further group matched.
  const before = isPageGone ? data.previousCursor : null;
  useEffect(() => {
    const replacing = { history: "replace" } as const;
    if (before !== null) void setPage(pageBefore(before, from), replacing);
    // Or the cursor is mangled or from another sort order.
    else if (isPageGone || isCursorStale) void setPage(FIRST, replacing);
  });
  useAnnouncement(isPlaceholderData ? undefined : data, state);
  return {
    data,
    /** undefined while returning to an earlier page */
    groups: isPageGone ? undefined : data?.groups,
    failure: data || isCursorStale ? null : error,
    isEmpty: isNone && !list.cursor,
    /** `data` belongs to the previous query */
    isStale: isPlaceholderData,
    isWaiting: isFetching && (isPlaceholderData || !data),
    refetch: () => void refetch(),
  };
}

/** Announces the result of a search, a filter or a page turn. */
function useAnnouncement(data: GroupPage | undefined, { list, isFiltered }: ListInUrl) {
  const question = JSON.stringify(list);
  const last = useRef(question);
  useEffect(() => {
    if (!data || last.current === question) return;
    last.current = question;
    announce(`${groupsIn(data.total.count)}${isFiltered ? " found" : ""}`);
  }, [data, question, isFiltered]);
}

type Total = GroupPage["total"];

/** A list's total. If it is an estimate, the summary may have an exact count of the same groups. */
export function exactTotal(total: Total, summary: SummaryAnswer | undefined, { list }: ListInUrl): Total {
  const view = viewOf(list);
  const isNarrowed = list.search !== "" || list.filters.length > 0;
  if (total.exact || !view || !summary?.counts_are_exact || isNarrowed) return total;
  return { count: view.key === "all" ? summary.total : summary.states[view.key], exact: true };
}

interface Matches {
  groups: Group[] | undefined;
  total: GroupPage["total"] | undefined;
  selected: SelectedGroups;
}

/** Offers to select all matches once the whole page is selected. */
export function useMatches({ groups = [], total, selected }: Matches, { list }: ListInUrl) {
  const slug = useEnvironmentSlug();
  const question = JSON.stringify([slug, list.search, list.filters, list.state, list.used]);
  const [selectedOf, setSelectedOf] = useState("");
  // Ignores answers to an earlier query, and any that arrive after a deselection.
  const asking = useRef(0);
  useEffect(() => {
    if (question) asking.current++;
  }, [question]);
  const isPageSelected = groups.length > 0 && groups.every(({ teamId }) => selected.has(teamId));
  const isOffered = total && total.count > groups.length && isPageSelected && selectedOf !== question;
  return {
    offered: isOffered ? total : undefined,
    fetch: async (): Promise<GroupReference[]> => {
      const turn = ++asking.current;
      try {
        const found = await fetchMatches(slug, list);
        if (turn !== asking.current) return [];
        if (found) setSelectedOf(question);
        else toast({ title: "Too many matches to select: narrow the list" });
        return found ?? [];
      } catch (error) {
        toastFailure("Nothing was selected", error);
        return [];
      }
    },
    forget: () => {
      asking.current++;
      setSelectedOf("");
    },
  };
}
