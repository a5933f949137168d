import { memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { withdrawInvite } from "@/lib/members/link";
import { inviteId } from "@/lib/members/schema";

export const DELETE = endpoint({
  access: members("owner"),
  input: inviteId,
  handle: async ({ caller, input: { id } }) => done(await withdrawInvite(id, memberAuthor(caller))),
});
