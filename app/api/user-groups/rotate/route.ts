import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { rotatedAnswer } from "@/lib/groups/answer-schema";
import { replaceToken } from "@/lib/groups/rotation";
import { answerRotated } from "@/lib/groups/serialize";
import { tokenReplacement } from "@/lib/groups/token-schema";

export const POST = endpoint({
  operationId: "replaceUserGroupToken",
  summary: "Rotate the token of a user group by id or number",
  description:
    "Like `POST /api/user`, for callers who do not hold the current token. Of several concurrent requests exactly " +
    "one succeeds, and the others get 412. `overlap_seconds` keeps the replaced token valid for that long.",
  access: withScopes("tokens:rotate", "tokens:read"),
  conditions: ["Idempotency-Key", "If-Match"],
  input: tokenReplacement,
  requestExample: { team_id: 3 },
  answered: "The group with its new token.",
  answer: rotatedAnswer,
  etag: '"3-1"',
  errors: ["unknown_user_group", "overlap_running"],
  handle: async ({ call, caller, input }) =>
    answerRotated(
      await replaceToken({
        caller,
        input,
        ifMatch: call.headers["if-match"],
        idempotencyKey: call.headers["idempotency-key"]?.toString(),
      }),
      caller,
    ),
});
