import { findGroupDetail } from "@/lib/groups/detail";
import { groupPath } from "@/lib/groups/schema";
import { serializeDetail } from "@/lib/groups/serialize";
import { adminRoute } from "@/lib/http/admin";
import { environmentOf } from "@/lib/members/caller";
import { hasRole } from "@/lib/members/role";

export const GET = adminRoute({
  role: "viewer",
  input: groupPath,
  handle: async ({ caller, input }) =>
    serializeDetail(await findGroupDetail(environmentOf(caller).id, input.teamId), hasRole(caller.role, "admin")),
});
