import { useQueryClient } from "@tanstack/react-query";
import { useEnvironmentSlug } from "@/components/use-environment";
import { activityKey } from "@/lib/audit/queries";
import { groupsKey } from "@/lib/groups/queries";

/** An environment's groups and their history. */
export const groupKeys = (slug: string) => [groupsKey(slug), activityKey(slug)];

/** Returns a function that reads the environment's groups and their history again, after a change or a failed one. */
export function useReadGroups(): () => Promise<void> {
  const client = useQueryClient();
  const slug = useEnvironmentSlug();
  return async () => {
    await Promise.all(groupKeys(slug).map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}
