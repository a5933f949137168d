import { CirclePause, CirclePlay } from "lucide-react";
import type { Use } from "@/components/ui/use-mark";
import type { Group } from "@/lib/groups/queries";
import type { GroupState } from "@/lib/groups/state-queries";

/** The state that a member can change a group to. "Ended" is not a choice: it follows from the time. */
export function otherState({ state }: Pick<Group, "state">): GroupState {
  return state === "suspended" ? "active" : "suspended";
}

const SUSPEND = { label: "Suspend…", icon: CirclePause };
const RESUME = { label: "Resume…", icon: CirclePlay };

/** Menu item that changes the state. */
export function stateItem(group: Pick<Group, "state">, open: (to: GroupState) => void) {
  const to = otherState(group);
  return { ...(to === "suspended" ? SUSPEND : RESUME), run: () => open(to) };
}

/** After this many days without a check, a group is idle. */
const IDLE_DAYS = 30;

/** How a group is used, or why it is not served. */
export function groupUse(group: Group): Use {
  const { state, lastUsedAt } = group;
  if (state !== "active") return state;
  if (isOldTokenUsed(group)) return "old token";
  if (lastUsedAt === null) return "never";
  return Date.now() - Date.parse(lastUsedAt) < IDLE_DAYS * 86_400_000 ? "in use" : "idle";
}

/** Whether the group has been viewed since its token was created or rotated, by this token or a viewer token. */
export function isViewed({ firstUsedAt, lastUsedAt, rotatedAt }: Group): boolean {
  return firstUsedAt !== null || (lastUsedAt !== null && lastUsedAt >= rotatedAt);
}

/** After this many milliseconds without a check, an old token counts as unused. */
const RECENT_MS = 15 * 60_000;

/** Whether a renderer checked a token so recently that pages with it are likely open. */
function isRecent(lastUsedAt: string): boolean {
  return Date.now() - Date.parse(lastUsedAt) < RECENT_MS;
}

/** Whether the previous token is still used: recently, or later than the current one. */
export function isOldTokenUsed({ previousToken, rotatedAt, lastUsedAt }: Group): boolean {
  const at = previousToken?.lastUsedAt ?? null;
  if (at === null || at < rotatedAt) return false;
  return isRecent(at) || lastUsedAt === null || lastUsedAt < at;
}
