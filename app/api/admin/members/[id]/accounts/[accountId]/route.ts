import { members } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { unlinkAccount } from "@/lib/members/linked-account";
import { linkedAccountId } from "@/lib/members/schema";

export const DELETE = endpoint({
  access: members("owner"),
  input: linkedAccountId,
  handle: async ({ caller, input }) => done(await unlinkAccount(input, caller)),
});
