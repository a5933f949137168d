import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "@/lib/members/queries";

/** How long deleted groups can be restored, in words. */
export function useKept(): string {
  const { data } = useQuery(sessionQuery);
  if (!data) return "some days";
  const hours = data.deletedGroupsKeptHours;
  const [count, unit] = hours % 24 === 0 ? [hours / 24, "day"] : [hours, "hour"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
