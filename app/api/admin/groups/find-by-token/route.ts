import { adminRoute } from "@/lib/endpoint/admin";
import { tokenSearch } from "@/lib/groups/schema";
import { searchToken } from "@/lib/groups/token-search";

export const POST = adminRoute({
  role: "admin",
  input: tokenSearch,
  handle: async ({ caller, input }) => searchToken(input.text, caller.environment?.id),
});
