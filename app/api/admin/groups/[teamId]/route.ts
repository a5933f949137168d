import { environmentOf } from "@/lib/auth/member-caller";
import { hasRole } from "@/lib/auth/role";
import { adminRoute } from "@/lib/endpoint/admin";
import { findGroupDetail } from "@/lib/groups/detail";
import { groupPath } from "@/lib/groups/schema";
import { serializeDetail } from "@/lib/groups/serialize";

export const GET = adminRoute({
  role: "viewer",
  input: groupPath,
  handle: async ({ caller, input }) =>
    serializeDetail(await findGroupDetail(environmentOf(caller).id, input.teamId), hasRole(caller.role, "admin")),
});
