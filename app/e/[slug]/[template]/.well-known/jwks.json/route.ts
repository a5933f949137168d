import { GET as ofEnvironment } from "@/app/e/[slug]/.well-known/jwks.json/route";
import { described } from "@/lib/endpoint/endpoint";

export const GET = described(ofEnvironment, {
  operationId: "getTemplateKeys",
  summary: "Get a template's public keys",
});
