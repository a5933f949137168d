import { apiTokenId } from "@/lib/api-tokens/schema";
import { revokeApiTokenOf } from "@/lib/api-tokens/service";
import { adminRoute, resource } from "@/lib/http/admin";
import { environmentOf, memberAuthor } from "@/lib/members/caller";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  DELETE: adminRoute({
    role: "admin",
    input: apiTokenId,
    handle: async ({ caller, input }) => {
      await revokeApiTokenOf(environmentOf(caller), input.id, memberAuthor(caller));
      return {};
    },
  }),
});
