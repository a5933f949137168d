import { environmentOf } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { listGroups } from "@/lib/groups/list";
import { groupListQuery } from "@/lib/groups/schema";
import { serializeGroups } from "@/lib/groups/serialize";

export const GET = adminRoute({
  role: "viewer",
  input: groupListQuery,
  handle: async ({ caller, input }) => serializeGroups(await listGroups(environmentOf(caller).id, input)),
});
