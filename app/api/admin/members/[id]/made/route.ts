import { adminRoute } from "@/lib/endpoint/admin";
import { listMade } from "@/lib/members/link";
import { memberId } from "@/lib/members/schema";
import { serializeMade } from "@/lib/members/serialize";

export const GET = adminRoute({
  role: "owner",
  input: memberId,
  handle: async ({ input }) => serializeMade(await listMade(input.id)),
});
