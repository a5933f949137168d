import { publicRoute } from "@/lib/http/public";
import { acceptLink } from "@/lib/members/link";
import { inTurn } from "@/lib/members/password-queue";
import { linkAcceptance } from "@/lib/members/schema";

export const POST = publicRoute({
  input: linkAcceptance,
  handle: async ({ input, requestId }) => ({ email: await inTurn(() => acceptLink(input, requestId)) }),
});
