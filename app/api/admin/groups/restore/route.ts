import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { restoreGroups } from "@/lib/groups/deletion";
import { groupSelection } from "@/lib/groups/schema";
import { serializeRestored } from "@/lib/groups/serialize";

export const POST = adminRoute({
  role: "admin",
  input: groupSelection,
  handle: async ({ caller, input }) =>
    serializeRestored(await restoreGroups(environmentOf(caller).id, input.teamIds, memberAuthor(caller))),
});
