import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { restoredGroupAnswer } from "@/lib/groups/answer-schema";
import { restoreGroup } from "@/lib/groups/deletion";
import { groupRestoration } from "@/lib/groups/deletion-schema";
import { answerState } from "@/lib/groups/serialize";

export const POST = endpoint({
  operationId: "restoreUserGroup",
  summary: "Restore a deleted user group",
  description:
    "Restores the most recently deleted group with this `user_group_id`, or, of several, the one with this " +
    "`team_id`, with its token, number and history. If another group has the id now, the answer is 409, unless you " +
    "send `replace: true`: then that group is deleted in the same transaction. Definitions never refuse a " +
    "restoration: `issues` lists what they find.",
  access: withScopes("groups:delete"),
  input: groupRestoration,
  answered: "The restored group.",
  answer: restoredGroupAnswer,
  etag: '"3-1"',
  errors: ["unknown_user_group", "conflict"],
  handle: async (request) => {
    const { group, issues } = await restoreGroup(request);
    return answerState(group, request.caller, issues);
  },
});
