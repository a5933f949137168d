import { queryOptions } from "@tanstack/react-query";
import { fetchLastEntry } from "@/lib/audit/queries";
import { type Group, groupsKey } from "@/lib/groups/queries";

/** The actions that give a group a token. */
const TOKEN_GIVERS = ["user_group.created", "user_group.token_rotated"];

/** Who gave a group its current token; null if the history does not say. */
export const tokenGiverQuery = (environment: string, { teamId, rotatedAt }: Group) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "token giver", teamId, rotatedAt],
    queryFn: async ({ signal }) =>
      (await fetchLatest(environment, { teamId, action: TOKEN_GIVERS, signal }))?.actor ?? null,
  });

/** The last change of a group's fields; null if the history has none. */
export const lastChangeQuery = (environment: string, { teamId, etag }: Group) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "last change", teamId, etag],
    queryFn: ({ signal }) => fetchLatest(environment, { teamId, action: "user_group.updated", signal }),
  });

/** The last suspension of a group; null if the history has none. */
export const suspensionQuery = (environment: string, { teamId, etag }: Group) =>
  queryOptions({
    queryKey: [...groupsKey(environment), "suspension", teamId, etag],
    queryFn: async ({ signal }) => {
      const entry = await fetchLatest(environment, { teamId, action: "user_group.suspended", signal });
      if (!entry) return null;
      const reason = entry.after?.kind === "other" ? entry.after.fields.reason : undefined;
      return { at: entry.at, by: entry.actor.name, reason: typeof reason === "string" ? reason : undefined };
    },
  });

interface Wanted {
  teamId: number;
  action: string | string[];
  signal: AbortSignal;
}

function fetchLatest(environment: string, { teamId, action, signal }: Wanted) {
  return fetchLastEntry(environment, { team_id: String(teamId), action }, signal);
}
