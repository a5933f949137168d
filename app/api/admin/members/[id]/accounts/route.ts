import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { linkAccount } from "@/lib/members/linked-account";
import { accountLinking } from "@/lib/members/schema";
import { serializeLinked } from "@/lib/members/serialize";

export const POST = endpoint({
  access: members("owner"),
  input: accountLinking,
  handle: async ({ caller, input }) => json({ account: serializeLinked(await linkAccount(input, caller)) }),
});
