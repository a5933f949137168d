import { adminRoute } from "@/lib/endpoint/admin";
import { unlinkAccount } from "@/lib/members/linked-account";
import { linkedAccountId } from "@/lib/members/schema";

export const DELETE = adminRoute({
  role: "owner",
  input: linkedAccountId,
  handle: async ({ caller, input }) => {
    await unlinkAccount(input, caller);
    return {};
  },
});
