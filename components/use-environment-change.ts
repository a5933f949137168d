import { type Action, useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { environmentsKey, environmentsQuery } from "@/lib/environments/queries";
import type { EnvironmentDetails } from "@/lib/environments/schema";
import { sessionQuery } from "@/lib/members/queries";

interface Change<Fields> {
  change: (fields: Fields) => Promise<unknown>;
  /** whether the refetched environments show the change */
  isDone: (now: EnvironmentDetails[], fields: Fields) => boolean;
  /** the error title: "Nothing was added" */
  failed: string;
  onDone: (fields: Fields) => void;
}

/** Changes environments, then refetches the settings and the header's switcher. */
export function useEnvironmentChange<Fields>({ change, isDone, failed, onDone }: Change<Fields>): Action<Fields> {
  const slug = useEnvironmentSlug();
  return useAction({
    act: change,
    wasDone: async (fields, read) => isDone((await read(environmentsQuery(slug))).environments, fields),
    undone: "The environments have not changed. Try again.",
    failed,
    onDone: (_, fields) => onDone(fields),
    reads: [sessionQuery.queryKey, environmentsKey],
  });
}
