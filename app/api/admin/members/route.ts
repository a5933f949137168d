import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { listInvites } from "@/lib/members/link";
import { serializeInvite, serializeMember } from "@/lib/members/serialize";
import { listMembers } from "@/lib/members/service";

export const GET = endpoint({
  access: members("viewer"),
  input: noInput,
  handle: async ({ caller }) =>
    json({
      members: (await listMembers()).map((member) => serializeMember(member, caller.role)),
      invites: (await listInvites()).map(serializeInvite),
    }),
});
