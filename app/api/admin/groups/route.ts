import { listGroups } from "@/lib/groups/list";
import { groupListQuery } from "@/lib/groups/schema";
import { serializeGroups } from "@/lib/groups/serialize";
import { adminRoute } from "@/lib/http/admin";
import { environmentOf } from "@/lib/members/caller";

export const GET = adminRoute({
  role: "viewer",
  input: groupListQuery,
  handle: async ({ caller, input }) => serializeGroups(await listGroups(environmentOf(caller).id, input)),
});
