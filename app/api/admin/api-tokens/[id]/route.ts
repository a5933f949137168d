import { apiTokenId } from "@/lib/api-tokens/schema";
import { revokeApiTokenOf } from "@/lib/api-tokens/service";
import { adminRoute } from "@/lib/http/admin";
import { environmentOf, memberAuthor } from "@/lib/members/caller";

export const DELETE = adminRoute({
  role: "admin",
  input: apiTokenId,
  handle: async ({ caller, input }) => {
    await revokeApiTokenOf(environmentOf(caller), input.id, memberAuthor(caller));
    return {};
  },
});
