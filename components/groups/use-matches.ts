import { useEffect, useRef, useState } from "react";
import { toastFailure } from "@/components/failure";
import type { SelectedGroups } from "@/components/groups/selection";
import type { ListInUrl } from "@/components/groups/use-list-state";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { fetchMatches } from "@/lib/groups/bulk-queries";
import type { Group, GroupPage } from "@/lib/groups/queries";
import type { GroupReference } from "@/lib/groups/schema";

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
