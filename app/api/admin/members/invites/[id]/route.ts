import { memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { withdrawInvite } from "@/lib/members/link";
import { inviteId } from "@/lib/members/schema";

export const DELETE = adminRoute({
  role: "owner",
  input: inviteId,
  handle: async ({ caller, input: { id } }) => {
    await withdrawInvite(id, memberAuthor(caller));
    return {};
  },
});
