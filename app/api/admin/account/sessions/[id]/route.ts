import { adminRoute, resource } from "@/lib/http/admin";
import { endSession } from "@/lib/members/account";
import { sessionId } from "@/lib/members/schema";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = resource({
  DELETE: adminRoute({
    role: "viewer",
    input: sessionId,
    handle: async ({ caller, input: { id } }) => {
      await endSession(caller, id);
      return {};
    },
  }),
});
