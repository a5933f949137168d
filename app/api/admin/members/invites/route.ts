import { memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { originOf } from "@/lib/endpoint/credential";
import { endpoint } from "@/lib/endpoint/endpoint";
import { invite, linkUrl } from "@/lib/members/link";
import { invitation } from "@/lib/members/schema";

export const POST = endpoint({
  access: members("owner"),
  input: invitation,
  handle: async ({ call, caller, input }) =>
    json({
      link: linkUrl(originOf(call), await invite(input, memberAuthor(caller))),
    }),
});
