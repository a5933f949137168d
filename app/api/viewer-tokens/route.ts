import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { mintRequest } from "@/lib/viewer-tokens/mint-schema";
import { answerMinted } from "@/lib/viewer-tokens/serialize";
import { mintViewerToken, toMintFor } from "@/lib/viewer-tokens/service";

export const POST = endpoint({
  access: programs("viewers:mint"),
  conditions: [],
  input: mintRequest,
  group: toMintFor,
  handle: async (request) => answerMinted(await mintViewerToken(request)),
});
