import { memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { linkUrl, makeResetLink } from "@/lib/members/link";
import { memberId } from "@/lib/members/schema";

export const POST = adminRoute({
  role: "owner",
  input: memberId,
  handle: async ({ caller, input, origin }) => ({
    link: linkUrl(origin(), await makeResetLink(input, memberAuthor(caller))),
  }),
});
