import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { rotatedAnswer } from "@/lib/groups/answer-schema";
import { revealToken } from "@/lib/groups/group";
import { answerRotated } from "@/lib/groups/serialize";
import { tokenReveal } from "@/lib/groups/token-schema";

export const POST = endpoint({
  operationId: "getUserGroupToken",
  summary: "Get the token of a user group",
  description: "Returns the group with its current token. The history records each call, and its purpose.",
  access: withScopes("tokens:read"),
  input: tokenReveal,
  requestExample: { team_id: 3 },
  answered: "The group with its token.",
  answer: rotatedAnswer,
  etag: '"3-1"',
  errors: ["unknown_user_group"],
  handle: async (request) => answerRotated(await revealToken(request), request.caller),
});
