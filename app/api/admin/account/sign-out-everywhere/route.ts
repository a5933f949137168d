import { adminRoute } from "@/lib/endpoint/admin";
import { signOutEverywhere as endAll } from "@/lib/members/account";
import { signOutEverywhere } from "@/lib/members/schema";

export const POST = adminRoute({
  role: "viewer",
  input: signOutEverywhere,
  handle: async ({ caller, input }) => {
    await endAll(caller, input);
    return {};
  },
});
