import { useQuery } from "@tanstack/react-query";
import { hasRole, type Role } from "@/lib/auth/role";
import { sessionQuery } from "@/lib/members/queries";

/** Whether the signed-in member has this role. The server checks again. */
export function useHasRole(needed: Role): boolean {
  const { data } = useQuery(sessionQuery);
  return data !== undefined && hasRole(data.member.role, needed);
}

/** Whether the member is known to have no more than a reader's role. */
export function useIsReader(): boolean {
  const { data } = useQuery(sessionQuery);
  return data !== undefined && !hasRole(data.member.role, "admin");
}

/** Whether the member may see tokens and change groups. */
export function useCanWrite(): boolean {
  return useHasRole("admin");
}
