import { historyCounts, historyCountsInput } from "@/lib/audit/schema";
import { countHistory } from "@/lib/audit/service";
import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  operationId: "countUserGroupHistory",
  summary: "Count what changed",
  description: "Returns how many matching entries the history has per hour, for a chart.",
  access: withScopes("groups:read"),
  input: historyCountsInput,
  answered: "The hours that have entries.",
  answer: historyCounts,
  handle: async ({ caller: { environment, actorType }, input }) =>
    json(await countHistory({ environmentId: environment.id, isMember: actorType === "member" }, input)),
});
