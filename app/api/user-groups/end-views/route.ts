import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { endViewsRequest } from "@/lib/viewer-tokens/mint-schema";
import { answerViewsEnded } from "@/lib/viewer-tokens/serialize";
import { endAllViews } from "@/lib/viewer-tokens/views";

export const POST = endpoint({
  access: programs("groups:write"),
  conditions: [],
  input: endViewsRequest,
  handle: async (request) => answerViewsEnded(await endAllViews(request)),
});
