import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { signOutEverywhere as endAll } from "@/lib/members/account";
import { signOutEverywhere } from "@/lib/members/schema";

export const POST = endpoint({
  access: members("viewer"),
  input: signOutEverywhere,
  handle: async ({ caller, input }) => {
    await endAll(caller, input);
    return json({});
  },
});

export const HEAD = noHead({ POST });
