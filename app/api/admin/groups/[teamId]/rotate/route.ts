import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { rotateByEtag } from "@/lib/groups/rotation";
import { tokenReplacement } from "@/lib/groups/schema";

export const POST = endpoint({
  access: members("admin"),
  input: tokenReplacement,
  handle: async ({ caller, input }) =>
    json({ token: await rotateByEtag(environmentOf(caller).id, input, memberAuthor(caller)) }),
});

export const HEAD = noHead({ POST });
