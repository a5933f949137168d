import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { deleteGroups } from "@/lib/groups/deletion";
import { groupSelection } from "@/lib/groups/schema";
import { serializeDeleted } from "@/lib/groups/serialize";

export const POST = adminRoute({
  role: "admin",
  input: groupSelection,
  handle: async ({ caller, input }) =>
    serializeDeleted(await deleteGroups(environmentOf(caller).id, input.teamIds, memberAuthor(caller))),
});
