import { useQuery } from "@tanstack/react-query";
import { type Ended, endedQuery, fetchEnded } from "@/lib/viewer-tokens/end-queries";

/** The last time that views of a group were ended before this, and whether they have been ended since. */
export function useLastEnded(environment: string, teamId: number, action: Ended) {
  const { data: last, isFetching } = useQuery(endedQuery(environment, teamId, action));
  const wasDone = async () => {
    // The entry from before it was sent.
    if (last === undefined) throw new Error("Look at the group’s history.");
    return (await fetchEnded(environment, teamId, action))?.id !== last?.id;
  };
  return { last, isFetching, wasDone };
}
