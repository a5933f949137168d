import { type Action, type ActionOptions, useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { environmentsKey, environmentsQuery } from "@/lib/environments/queries";
import type { EnvironmentDetails } from "@/lib/environments/schema";
import { sessionQuery } from "@/lib/members/queries";

interface EnvironmentChange<Fields>
  extends Pick<ActionOptions<Fields, unknown>, "failed" | "done" | "onDone" | "onClose"> {
  change: ActionOptions<Fields, unknown>["act"];
  /** whether the refetched environments show the change */
  isDone: (now: EnvironmentDetails[], fields: Fields) => boolean;
}

/** Changes environments, then refetches the settings and the header's switcher. */
export function useEnvironmentChange<Fields>(given: EnvironmentChange<Fields>): Action<Fields> {
  const { change, isDone, ...options } = given;
  const slug = useEnvironmentSlug();
  return useAction({
    ...options,
    act: change,
    wasDone: async (fields, read) => isDone((await read(environmentsQuery(slug))).environments, fields),
    reads: [sessionQuery.queryKey, environmentsKey],
  });
}
