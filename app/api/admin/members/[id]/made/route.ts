import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { listMade } from "@/lib/members/link";
import { memberId } from "@/lib/members/schema";
import { serializeMade } from "@/lib/members/serialize";

export const GET = endpoint({
  access: members("owner"),
  input: memberId,
  handle: async ({ input }) => json(serializeMade(await listMade(input.id))),
});
