import { queryOptions } from "@tanstack/react-query";
import { callApi } from "@/lib/browser/api-client";
import { type Group, groupsKey } from "@/lib/groups/queries";

/** The checks of each of the last 30 days, the oldest first, in UTC. */
interface Checks {
  days: { day: string; checks: number }[];
}

/** How often renderers checked a group's tokens on each of the last 30 days; the last is today. */
export const groupChecksQuery = (environment: string, { teamId }: Pick<Group, "teamId">) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "checks", teamId],
    queryFn: async ({ signal }) => {
      const query = { by: "day", team_id: String(teamId) };
      const { days } = await callApi<Checks>("/api/usage", { environment, query, signal });
      return days.map(({ checks }) => checks);
    },
  });
