"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { groupsKey } from "@/lib/groups/queries";

/** Returns a function that reads the environment's groups again, after a change or a failed one. */
export function useReadGroups(): () => Promise<void> {
  const client = useQueryClient();
  const slug = useEnvironmentSlug();
  return () => client.invalidateQueries({ queryKey: groupsKey(slug) });
}
