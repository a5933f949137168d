import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { revealToken } from "@/lib/groups/detail";
import { tokenReveal } from "@/lib/groups/schema";

export const POST = adminRoute({
  role: "admin",
  input: tokenReveal,
  handle: async ({ caller, input }) => ({
    token: await revealToken(environmentOf(caller).id, input, memberAuthor(caller)),
  }),
});
