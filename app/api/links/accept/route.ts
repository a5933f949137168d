import { networkOf } from "@/lib/auth/client-address";
import { withPermit } from "@/lib/auth/password-queue";
import { ownPages } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { acceptLink } from "@/lib/members/link";
import { linkAcceptance } from "@/lib/members/schema";

export const POST = endpoint({
  access: ownPages,
  // Hashing can be slow, and the link is used up whether or not we wait.
  hasDeadline: false,
  input: linkAcceptance,
  handle: async ({ call, input }) =>
    json({ email: await withPermit(networkOf(call.address()), () => acceptLink(input, call.requestId)) }),
});
