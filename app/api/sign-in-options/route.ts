import { oidcName } from "@/lib/auth/oidc";
import { ownPages } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { hasMembers } from "@/lib/members/service";

export const GET = endpoint({
  access: ownPages,
  input: noInput,
  handle: async () => {
    const name = oidcName();
    return json({ oidc: name === undefined ? null : { name }, setUp: await hasMembers() });
  },
});
