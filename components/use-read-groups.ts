import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEnvironmentSlug } from "@/components/use-environment";
import { activityKey } from "@/lib/audit/queries";
import { groupsKey } from "@/lib/groups/queries";

/** Query keys of an environment's groups and their history. */
export const groupKeys = (slug: string) => [groupsKey(slug), activityKey(slug)];

/** Returns a function that refetches these queries, after a change or a failed one. */
export function useReadAgain(keys: QueryKey[]): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

/** Returns a function that refetches the environment's groups and their history. */
export const useReadGroups = () => useReadAgain(groupKeys(useEnvironmentSlug()));
