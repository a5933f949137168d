import { inTurn } from "@/lib/auth/password-queue";
import { publicRoute } from "@/lib/endpoint/public";
import { acceptLink } from "@/lib/members/link";
import { linkAcceptance } from "@/lib/members/schema";

export const POST = publicRoute({
  input: linkAcceptance,
  handle: async ({ input, requestId, address }) => ({
    email: await inTurn(address, () => acceptLink(input, requestId)),
  }),
});
