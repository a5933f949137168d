import { countedAnyone } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { publicKeys } from "@/lib/viewer-tokens/jwks";
import { keySetPlace } from "@/lib/viewer-tokens/key-schema";
import { answerKeySet } from "@/lib/viewer-tokens/serialize";

export const GET = endpoint({
  access: countedAnyone,
  input: keySetPlace,
  handle: async ({ input: { slug, template = null } }) => answerKeySet(await publicKeys(slug, template)),
});
