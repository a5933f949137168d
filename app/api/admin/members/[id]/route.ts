import { memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { memberChange, memberRemoval } from "@/lib/members/schema";
import { serializeMember } from "@/lib/members/serialize";
import { changeMember, removeMember } from "@/lib/members/service";

export const PATCH = adminRoute({
  role: "owner",
  input: memberChange,
  handle: async ({ caller, input: { id, ...change } }) => ({
    member: serializeMember(await changeMember({ id }, change, memberAuthor(caller)), caller.role),
  }),
});

export const DELETE = adminRoute({
  role: "owner",
  input: memberRemoval,
  handle: async ({ caller, input }) => {
    await removeMember(input, memberAuthor(caller));
    return {};
  },
});
