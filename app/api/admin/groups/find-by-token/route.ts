import { tokenSearch } from "@/lib/groups/schema";
import { searchToken } from "@/lib/groups/token-search";
import { adminRoute } from "@/lib/http/admin";

export const POST = adminRoute({
  role: "admin",
  input: tokenSearch,
  handle: async ({ input }) => searchToken(input.text),
});
