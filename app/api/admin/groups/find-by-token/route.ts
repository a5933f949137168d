import { tokenSearch } from "@/lib/groups/schema";
import { searchToken } from "@/lib/groups/token-search";
import { adminRoute, resource } from "@/lib/http/admin";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  POST: adminRoute({
    role: "admin",
    input: tokenSearch,
    handle: async ({ input }) => searchToken(input.text),
  }),
});
