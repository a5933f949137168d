import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/browser/api-client";
import { type Group, groupsKey } from "@/lib/groups/queries";

/** The checks of each of the last 30 days, the oldest first, in UTC. */
interface Checks {
  days: { day: string; checks: number }[];
}

/**
 * How often renderers checked a group's tokens on each of the last 30 days: the first of them, and the counts; the last
 * is today's.
 */
export const groupChecksQuery = (environment: string, { teamId }: Pick<Group, "teamId">) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "checks", teamId],
    queryFn: async ({ signal }) => {
      const query = { by: "day", team_id: String(teamId) };
      const { days } = await callApi<Checks>("/api/usage", { environment, query, signal });
      return { from: days[0]?.day ?? "", days: days.map(({ checks }) => checks) };
    },
  });

interface ChecksByGroup {
  user_groups: { team_id: number; checks: number; days: number[] }[];
}

/** The same of each of at most 100 groups, by their numbers. */
export const checksOfGroupsQuery = (environment: string, teamIds: number[]) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "checks of groups", teamIds],
    queryFn: async ({ signal }) => {
      const query = { by: "user_group", team_id: teamIds.map(String) };
      const { user_groups } = await callApi<ChecksByGroup>("/api/usage", { environment, query, signal });
      return new Map(user_groups.map(({ team_id, days }) => [team_id, days]));
    },
    enabled: teamIds.length > 0,
  });
