import { adminRoute } from "@/lib/http/admin";
import { memberAuthor } from "@/lib/members/caller";
import { invite, linkUrl } from "@/lib/members/link";
import { invitation } from "@/lib/members/schema";

export const POST = adminRoute({
  role: "owner",
  input: invitation,
  handle: async ({ caller, input, origin }) => ({
    link: linkUrl(origin(), await invite(input, memberAuthor(caller))),
  }),
});
