import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { groupById } from "@/lib/groups/schema";
import { viewsEndedAnswer } from "@/lib/viewer-tokens/mint-schema";
import { answerViewsEnded } from "@/lib/viewer-tokens/serialize";
import { endAllViews } from "@/lib/viewer-tokens/service";

export const POST = endpoint({
  operationId: "endViews",
  summary: "End all views",
  description:
    "Revokes every viewer token of a group: `POST /api/viewer` refuses them immediately, offline verifiers when they " +
    "poll the revocations or the tokens expire. The user group token stays.",
  access: withScopes("groups:write"),
  input: groupById,
  answered: "The new generation.",
  answer: viewsEndedAnswer,
  errors: ["unknown_user_group"],
  handle: async (request) => answerViewsEnded(await endAllViews(request)),
});
