import { memberAuthor } from "@/lib/auth/member-caller";
import { adminRoute } from "@/lib/endpoint/admin";
import { invite, linkUrl } from "@/lib/members/link";
import { invitation } from "@/lib/members/schema";

export const POST = adminRoute({
  role: "owner",
  input: invitation,
  handle: async ({ caller, input, origin }) => ({
    link: linkUrl(origin(), await invite(input, memberAuthor(caller))),
  }),
});
