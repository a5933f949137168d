import { countedAnyone } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { publicKeys } from "@/lib/viewer-tokens/jwks";
import { discoveryAnswer, keySetPlace } from "@/lib/viewer-tokens/key-schema";
import { answerDiscovery } from "@/lib/viewer-tokens/serialize";
import { issuerOf } from "@/lib/viewer-tokens/service";

export const GET = endpoint({
  operationId: "discoverIssuer",
  summary: "Get the issuer's metadata",
  description:
    "Where the public keys are, as in OpenID Connect Discovery, for gateways and authorizers that take an issuer. " +
    "It has no sign-in.",
  access: countedAnyone,
  input: keySetPlace.pick({ slug: true }),
  parameters: { slug: { description: "The environment's slug.", schema: { type: "string", examples: ["testing"] } } },
  query: noInput,
  answered: "The metadata.",
  answer: discoveryAnswer,
  async handle({ input: { slug } }) {
    // Refuses an unknown slug.
    await publicKeys(slug, null);
    return answerDiscovery(issuerOf(slug));
  },
});
