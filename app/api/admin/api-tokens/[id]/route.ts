import { apiTokenId } from "@/lib/api-tokens/schema";
import { revokeApiTokenOf } from "@/lib/api-tokens/service";
import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";

export const DELETE = adminRoute({
  role: "admin",
  input: apiTokenId,
  handle: async ({ caller, input }) => {
    await revokeApiTokenOf(environmentOf(caller), input.id, memberAuthor(caller));
    return {};
  },
});
