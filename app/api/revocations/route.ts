import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { revocationsAnswer, revocationsQuery } from "@/lib/viewer-tokens/mint-schema";
import { listRevocations } from "@/lib/viewer-tokens/revocations";
import { answerRevocations } from "@/lib/viewer-tokens/serialize";

export const GET = endpoint({
  operationId: "listRevocations",
  summary: "List revoked viewer tokens",
  description:
    "For renderers that verify offline: the groups whose viewer tokens with a lower `gen` are revoked. Poll with " +
    "`next_since`; a revocation can come more than once.",
  access: withScopes("viewers:ask"),
  input: revocationsQuery,
  answered: "The revocations.",
  answer: revocationsAnswer,
  answerExample: { has_more: false },
  handle: async (request) => answerRevocations(await listRevocations(request)),
});
