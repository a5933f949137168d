import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { stateAnswer } from "@/lib/groups/answer-schema";
import { groupById } from "@/lib/groups/schema";
import { answerState } from "@/lib/groups/serialize";
import { resumeGroup } from "@/lib/groups/state";

export const POST = endpoint({
  operationId: "resumeUserGroup",
  summary: "Resume a user group",
  description:
    "Ends a suspension: the group's token is served again, unless its access has ended (`state` is then `ended`). " +
    "Resuming a group that is not suspended changes nothing.",
  access: withScopes("groups:write"),
  conditions: ["If-Match"],
  input: groupById,
  answered: "The group, no longer suspended.",
  answer: stateAnswer,
  etag: '"3-1"',
  errors: ["unknown_user_group"],
  handle: async ({ call, caller, input }) =>
    answerState(await resumeGroup({ caller, input, ifMatch: call.headers["if-match"] }), caller),
});
