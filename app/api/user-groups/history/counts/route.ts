import { historyCountsInput } from "@/lib/audit/schema";
import { countHistory } from "@/lib/audit/service";
import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: programs("groups:read"),
  input: historyCountsInput,
  handle: async ({ caller: { environment, actorType }, input }) =>
    json(await countHistory({ environmentId: environment.id, isMember: actorType === "member" }, input)),
});
