import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { signOutEverywhere } from "@/lib/members/account";
import { signOutEverywhereInput } from "@/lib/members/schema";

export const POST = endpoint({
  access: members("viewer"),
  input: signOutEverywhereInput,
  handle: async ({ caller, input }) => {
    await signOutEverywhere(caller, input);
    return json({});
  },
});
