import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { mintedAnswer, mintRequest } from "@/lib/viewer-tokens/mint-schema";
import { answerMinted } from "@/lib/viewer-tokens/serialize";
import { mintViewerToken, toMintFor } from "@/lib/viewer-tokens/service";

export const POST = endpoint({
  operationId: "mintViewerToken",
  summary: "Mint a viewer token",
  description:
    "Returns a signed token of the group for one page view, which a renderer verifies with the environment's public " +
    "keys or `POST /api/viewer`. Anyone with the page can read it: it contains only the properties that the " +
    "environment lists as visible.",
  access: withScopes("viewers:mint"),
  input: mintRequest,
  group: toMintFor,
  requestExample: { user_group_id: "example_1", viewer: "user_42" },
  answered: "The viewer token.",
  answer: mintedAnswer,
  answerExample: { expires_at: "2026-11-26T08:15:00.000Z" },
  errors: ["unknown_user_group", "unknown_token", "not_active", "viewer_ended"],
  handle: async (request) => answerMinted(await mintViewerToken(request)),
});
