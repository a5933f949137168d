import { oidcName } from "@/lib/auth/oidc";
import { ownPages } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { serializeSignInOptions } from "@/lib/members/serialize";
import { hasMembers } from "@/lib/members/service";

export const GET = endpoint({
  access: ownPages,
  input: noInput,
  handle: async () => json(serializeSignInOptions(oidcName(), await hasMembers())),
});
