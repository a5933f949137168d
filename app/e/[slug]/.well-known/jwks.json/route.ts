import { countedAnyone } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { publicKeys } from "@/lib/viewer-tokens/jwks";
import { keySetPlace, publicKeySet } from "@/lib/viewer-tokens/key-schema";
import { answerKeySet } from "@/lib/viewer-tokens/serialize";

export const GET = endpoint({
  operationId: "getViewerKeys",
  summary: "Get the public keys",
  description:
    "A JSON Web Key Set (RFC 7517), without a credential. Keep it for `max-age`, and read it again when a token " +
    "names a key that it lacks.",
  access: countedAnyone,
  input: keySetPlace,
  parameters: {
    slug: { description: "The environment's slug.", schema: { type: "string", examples: ["testing"] } },
    template: { description: "The name of a claim template.", schema: { type: "string", examples: ["cube"] } },
  },
  query: noInput,
  answered: "The public keys, the newest first.",
  answer: publicKeySet,
  handle: async ({ input: { slug, template = null } }) => answerKeySet(await publicKeys(slug, template)),
});
