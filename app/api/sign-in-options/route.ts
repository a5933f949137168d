import { z } from "zod";
import { oidcName } from "@/lib/auth/oidc";
import { publicRoute } from "@/lib/endpoint/public";
import { serializeSignInOptions } from "@/lib/members/serialize";
import { hasMembers } from "@/lib/members/service";

export const GET = publicRoute({
  input: z.strictObject({}),
  handle: async () => serializeSignInOptions(oidcName(), await hasMembers()),
});
