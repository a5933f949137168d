import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { stateAnswer } from "@/lib/groups/answer-schema";
import { groupSuspension } from "@/lib/groups/schema";
import { answerState } from "@/lib/groups/serialize";
import { suspendGroup } from "@/lib/groups/state";

export const POST = endpoint({
  operationId: "suspendUserGroup",
  summary: "Suspend a user group",
  description:
    "From now on `POST /api/viewer` answers `active: false` with the reason `suspended` for the group's token. The " +
    "group keeps its token; only minting viewer tokens is refused. Suspending a suspended group changes nothing.",
  access: withScopes("groups:write"),
  conditions: ["If-Match"],
  input: groupSuspension,
  requestExample: { reason: "Invoice 4711 is overdue" },
  answered: "The suspended group.",
  answer: stateAnswer,
  answerExample: { user_group: { state: "suspended" } },
  etag: '"3-1"',
  errors: ["unknown_user_group"],
  handle: async ({ call, caller, input }) =>
    answerState(await suspendGroup({ caller, input, ifMatch: call.headers["if-match"] }), caller),
});
