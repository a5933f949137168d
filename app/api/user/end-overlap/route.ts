import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { overlapEndedAnswer } from "@/lib/groups/answer-schema";
import { endGroupOverlap } from "@/lib/groups/rotation";
import { groupById } from "@/lib/groups/schema";
import { answerOverlapEnded } from "@/lib/groups/serialize";

export const POST = endpoint({
  operationId: "endUserGroupOverlap",
  summary: "End the overlap of a rotation",
  description:
    "Stops the group's previous token immediately, before the end of its overlap. The current token stays as it is. " +
    "Without a running overlap nothing changes, and `overlap_ended` is false.",
  access: withScopes("tokens:rotate"),
  input: groupById,
  answered: "The group, without a previous token.",
  answer: overlapEndedAnswer,
  errors: ["unknown_user_group"],
  handle: async ({ caller, input }) => answerOverlapEnded(await endGroupOverlap({ caller, input }), caller),
});
