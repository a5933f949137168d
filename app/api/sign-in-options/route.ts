import { z } from "zod";
import { publicRoute } from "@/lib/http/public";
import { oidcName } from "@/lib/members/oidc";
import { serializeSignInOptions } from "@/lib/members/serialize";
import { hasMembers } from "@/lib/members/service";

export const GET = publicRoute({
  input: z.strictObject({}),
  handle: async () => serializeSignInOptions(oidcName(), await hasMembers()),
});
