import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/browser/api-client";
import { type Group, groupsKey } from "@/lib/groups/queries";

/** The checks of each of the last 30 days, the oldest first, in UTC. */
interface Checks {
  days: { day: string; checks: number }[];
}

/**
 * How often a group's tokens were minted or checked on each of the last 30 days: the first day, and the counts, today's
 * last.
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

/** A group's use: its checks on each of the last 30 days, and its distinct viewers per month, the current one last. */
export interface UsageOfGroup {
  team_id: number;
  days: number[];
  active_viewers: number[];
}

/** The use of each of at most 100 groups, by their numbers. */
export const usageOfGroupsQuery = (environment: string, teamIds: number[]) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "use of groups", teamIds],
    queryFn: async ({ signal }) => {
      const query = { by: "user_group", team_id: teamIds.map(String) };
      const path = "/api/usage";
      const { user_groups } = await callApi<{ user_groups: UsageOfGroup[] }>(path, { environment, query, signal });
      return new Map(user_groups.map((group) => [group.team_id, group]));
    },
    enabled: teamIds.length > 0,
  });
