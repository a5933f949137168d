import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { holdsToken } from "@/components/pasted-token";
import { recentGroups } from "@/components/shell/recent-groups";
import { useEnvironmentSlug } from "@/components/use-environment";
import type { OfferedEnvironment } from "@/lib/environments/schema";
import { ALL_GROUPS, type Group, groupListQuery, groupQuery, TEAM_NUMBER } from "@/lib/groups/queries";

/** The most groups offered per environment, and in total. */
const OF_ENVIRONMENT = 8;
const OF_ALL = 12;
export type PlacedGroup = Group & { environment: OfferedEnvironment };

/** Groups of all environments that match a text by name, id or team number; without a text, those last opened. */
export function useFoundGroups(search: string, environments: OfferedEnvironment[]) {
  const slug = useEnvironmentSlug();
  const isSearch = search !== "" && !holdsToken(search);
  // The open environment first.
  const places = environments.toSorted((a, b) => Number(b.slug === slug) - Number(a.slug === slug));
  const lists = useQueries({
    queries: places.map((place) => ({
      ...groupListQuery(place.slug, { ...ALL_GROUPS, search }),
      enabled: isSearch,
      placeholderData: keepPreviousData,
    })),
  });
  const numbered = useQueries({
    queries: places.map((place) => ({
      ...groupQuery(place.slug, search),
      enabled: TEAM_NUMBER.test(search),
      retry: false,
    })),
  });
  const [recent] = useState(recentGroups);
  const visited = useQueries({
    queries: recent.map(({ slug, teamId }) => ({ ...groupQuery(slug, String(teamId)), retry: false })),
  });
  const contains = (text: string) => text.toLowerCase().includes(search.toLowerCase());
  const byNumber = places.flatMap((environment, at) => {
    const group = isSearch ? numbered[at]?.data : undefined;
    return group ? [{ ...group, environment }] : [];
  });
  const byText = places.flatMap((environment, at) => {
    const { data, isPlaceholderData } = lists[at] ?? {};
    // Earlier results stay only while they still match, as Enter takes the first.
    return (data?.groups ?? [])
      .filter(({ name, providedId }) => isSearch && (!isPlaceholderData || contains(name) || contains(providedId)))
      .filter(({ teamId }) => !byNumber.some((one) => one.teamId === teamId))
      .slice(0, OF_ENVIRONMENT)
      .map((group) => ({ ...group, environment }));
  });
  const recents = recent.flatMap(({ slug }, at) => {
    const environment = environments.find((one) => one.slug === slug);
    const group = visited[at]?.data;
    return search === "" && environment && group ? [{ ...group, environment }] : [];
  });
  const isSearching = isSearch && [...lists, ...numbered].some(({ isFetching }) => isFetching);
  return { recents, groups: [...byNumber, ...byText].slice(0, OF_ALL), isSearching };
}
