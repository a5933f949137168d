import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { lookUpAccount } from "@/lib/members/linked-account";
import { accountLinking } from "@/lib/members/schema";
import { serializeFound } from "@/lib/members/serialize";

export const POST = endpoint({
  access: members("owner"),
  input: accountLinking,
  handle: async ({ input }) => json({ account: serializeFound(await lookUpAccount(input)) }),
});
