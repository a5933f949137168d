import { z } from "zod";
import { adminRoute } from "@/lib/endpoint/admin";
import { listInvites } from "@/lib/members/link";
import { serializeInvite, serializeMember } from "@/lib/members/serialize";
import { listMembers } from "@/lib/members/service";

export const GET = adminRoute({
  role: "viewer",
  input: z.strictObject({}),
  handle: async ({ caller }) => ({
    members: (await listMembers()).map((member) => serializeMember(member, caller.role)),
    invites: (await listInvites()).map(serializeInvite),
  }),
});
