import { memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { done, json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { memberChange, memberRemoval } from "@/lib/members/schema";
import { serializeMember } from "@/lib/members/serialize";
import { changeMember, removeMember } from "@/lib/members/service";

export const PATCH = endpoint({
  access: members("owner"),
  input: memberChange,
  handle: async ({ caller, input: { id, ...change } }) =>
    json({
      member: serializeMember(await changeMember({ id }, change, memberAuthor(caller)), caller.role),
    }),
});

export const DELETE = endpoint({
  access: members("owner"),
  input: memberRemoval,
  handle: async ({ caller, input }) => done(await removeMember(input, memberAuthor(caller))),
});
