import { adminRoute } from "@/lib/endpoint/admin";
import { endSession } from "@/lib/members/account";
import { sessionId } from "@/lib/members/schema";

export const DELETE = adminRoute({
  role: "viewer",
  input: sessionId,
  handle: async ({ caller, input: { id } }) => {
    await endSession(caller, id);
    return {};
  },
});
