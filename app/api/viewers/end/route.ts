import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { endViewerRequest, viewerEndedAnswer } from "@/lib/viewer-tokens/mint-schema";
import { answerViewerEnded } from "@/lib/viewer-tokens/serialize";
import { endViewsOf } from "@/lib/viewer-tokens/service";

export const POST = endpoint({
  operationId: "endViewer",
  summary: "End one person's views",
  description:
    "Revokes every viewer token of a group that one person was issued until now, as `POST " +
    "/api/user-groups/end-views` does for all. Without `blocked_until`, a backend that mints again brings the person " +
    "back; with it, minting is refused with `viewer_ended`.",
  access: withScopes("groups:write"),
  input: endViewerRequest,
  requestExample: { user_group_id: "example_1", viewer_id: "user_42" },
  answered: "What the revocations list of the person.",
  answer: viewerEndedAnswer,
  answerExample: { blocked_until: null },
  errors: ["unknown_user_group"],
  handle: async (request) => answerViewerEnded(await endViewsOf(request), request.input.blocked_until),
});
