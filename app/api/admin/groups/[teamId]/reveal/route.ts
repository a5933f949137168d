import { revealToken } from "@/lib/groups/detail";
import { tokenReveal } from "@/lib/groups/schema";
import { adminRoute } from "@/lib/http/admin";
import { environmentOf, memberAuthor } from "@/lib/members/caller";

export const POST = adminRoute({
  role: "admin",
  input: tokenReveal,
  handle: async ({ caller, input }) => ({
    token: await revealToken(environmentOf(caller).id, input, memberAuthor(caller)),
  }),
});
