import { dayAfter } from "@/lib/limits/days";
import type { UsageByDay, UsageByGroup } from "@/lib/usage/schema";
import type { Usage } from "@/lib/usage/service";

/** The answer about the use, by day or by group. */
export function answerUsage(usage: Usage): Omit<UsageByDay, "success"> | Omit<UsageByGroup, "success"> {
  const { from, to } = usage;
  if ("counts" in usage) {
    const checks = usage.counts.reduce((sum, count) => sum + count, 0);
    const days = usage.counts.map((count, index) => ({ day: dayAfter(from, index), checks: count }));
    return { from, to, checks, days };
  }
  return { from, to, user_groups: usage.groups, next_cursor: usage.nextCursor };
}
