import type { z } from "zod";
import { type AskedIf, authorOf } from "@/lib/auth/caller";
import { entityTags, noGroup, staleTag } from "@/lib/groups/group";
import type { GroupById, groupSuspension } from "@/lib/groups/schema";
import { type GroupWithState, type StateChange, setStates } from "@/lib/store/states";

/**
 * Suspends a group: renderers stop serving it, and it keeps its token. An already suspended group stays unchanged.
 * @throws {AppError} `unknown_user_group` or `stale`
 */
export function suspendGroup(request: AskedIf<z.infer<typeof groupSuspension>>): Promise<GroupWithState> {
  return change(request, { state: "suspended", reason: request.input.reason ?? null });
}

/**
 * Ends a suspension. A group that is not suspended stays unchanged.
 * @throws {AppError} `unknown_user_group` or `stale`
 */
export function resumeGroup(request: AskedIf<GroupById>): Promise<GroupWithState> {
  return change(request, { state: "active", reason: null });
}

async function change(
  { caller, input, ifMatch }: AskedIf<GroupById>,
  to: Pick<StateChange, "state" | "reason">,
): Promise<GroupWithState> {
  const tags = entityTags(ifMatch);
  const place = { environmentId: caller.environment.id, providedIds: [input.user_group_id] };
  const [found] = await setStates({ ...to, ...place, tags }, authorOf(caller));
  const row = found ?? (await noGroup(place.environmentId, input.user_group_id));
  if (!row.accepted) throw staleTag(tags);
  return row;
}
