import type { Group } from "@/lib/groups/queries";
import type { GroupState } from "@/lib/groups/state-queries";

/** The state that a member can put a group into; the end of its access is a matter of time. */
export function otherState({ state }: Pick<Group, "state">): GroupState {
  return state === "suspended" ? "active" : "suspended";
}
