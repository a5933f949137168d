import { publicRoute } from "@/lib/http/public";
import { acceptLink } from "@/lib/members/link";
import { linkAcceptance } from "@/lib/members/schema";

export const POST = publicRoute({
  input: linkAcceptance,
  handle: async ({ input, requestId }) => ({ email: await acceptLink(input, requestId) }),
});
