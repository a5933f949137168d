import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { revealToken } from "@/lib/groups/reveal";
import { tokenReveal } from "@/lib/groups/schema";

export const POST = endpoint({
  access: members("admin"),
  input: tokenReveal,
  handle: async ({ caller, input }) =>
    json({
      token: await revealToken(environmentOf(caller).id, input, memberAuthor(caller)),
    }),
});

export const HEAD = noHead({ POST });
