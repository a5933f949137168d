import { deleteGroups } from "@/lib/groups/deletion";
import { groupSelection } from "@/lib/groups/schema";
import { serializeDeleted } from "@/lib/groups/serialize";
import { adminRoute } from "@/lib/http/admin";
import { environmentOf, memberAuthor } from "@/lib/members/caller";

export const POST = adminRoute({
  role: "admin",
  input: groupSelection,
  handle: async ({ caller, input }) =>
    serializeDeleted(await deleteGroups(environmentOf(caller).id, input.teamIds, memberAuthor(caller))),
});
