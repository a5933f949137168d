import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { replaceToken } from "@/lib/groups/rotation";
import { answerRotated } from "@/lib/groups/serialize";
import { tokenReplacement } from "@/lib/groups/token-schema";

export const POST = endpoint({
  access: programs("tokens:rotate", "tokens:read"),
  conditions: ["Idempotency-Key", "If-Match"],
  input: tokenReplacement,
  handle: async ({ call, caller, input }) =>
    answerRotated(
      await replaceToken({
        ...{ caller, input },
        ifMatch: call.headers["if-match"],
        idempotencyKey: call.headers["idempotency-key"]?.toString(),
      }),
      caller,
    ),
});
