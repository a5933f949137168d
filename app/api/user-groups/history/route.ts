import { historyInput } from "@/lib/audit/schema";
import { serializeHistory } from "@/lib/audit/serialize";
import { listHistory } from "@/lib/audit/service";
import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: programs("groups:read"),
  input: historyInput,
  handle: async ({ caller: { environment, actorType }, input }) =>
    json(
      serializeHistory(await listHistory({ environmentId: environment.id, isMember: actorType === "member" }, input)),
    ),
});
