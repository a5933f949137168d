import type { Use } from "@/components/ui/use-mark";
import type { Group } from "@/lib/groups/queries";

/** From this many days without a check on, a group is idle. */
const IDLE_DAYS = 30;

/** How a group is used, or why it is not served. */
export function groupUse({ state, lastUsedAt }: Pick<Group, "state" | "lastUsedAt">): Use {
  if (state !== "active") return state;
  if (lastUsedAt === null) return "never";
  return Date.now() - Date.parse(lastUsedAt) < IDLE_DAYS * 86_400_000 ? "in use" : "idle";
}

/** Whether a renderer has checked the current token, rather than only an earlier one. */
export function isTokenSeen({ firstUsedAt, lastUsedAt, rotatedAt }: Group): boolean {
  return firstUsedAt !== null || (lastUsedAt !== null && lastUsedAt >= rotatedAt);
}
