import { replaceItself } from "@/lib/api-tokens/replacement";
import { selfReplacedAnswer, selfReplacement } from "@/lib/api-tokens/schema";
import { answerSelfReplaced } from "@/lib/api-tokens/serialize";
import { withNeeds } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

export const POST = endpoint({
  operationId: "replaceApiToken",
  summary: "Replace the calling API token",
  description:
    "Returns a new value with the same scopes, networks and expiry. The one you sent stays valid for " +
    "`overlap_seconds`, at most until its expiry, and is replaced once: a second call with it, or one with the new " +
    "value before the old one has ended, is 409 `conflict`. Store the answer before you use it: if it is lost, ask " +
    "an admin for another token. Revoking any value revokes all of them.",
  access: withNeeds({ scopes: ["api-token:replace"], isForMembers: false }),
  input: selfReplacement,
  answered: "The new value.",
  answer: selfReplacedAnswer,
  answerExample: { expires_at: null, previous_token_valid_until: "2026-11-27T08:00:00.000Z" },
  errors: ["conflict", "not_found"],
  handle: async ({ caller, input }) => answerSelfReplaced(await replaceItself({ caller, input })),
});
