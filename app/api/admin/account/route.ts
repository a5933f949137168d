import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { readAccount, rename } from "@/lib/members/account";
import { accountChange } from "@/lib/members/schema";
import { serializeAccount } from "@/lib/members/serialize";

export const GET = endpoint({
  access: members("viewer"),
  input: noInput,
  handle: async ({ caller }) => json({ account: serializeAccount(await readAccount(caller), caller.sessionId) }),
});

export const PATCH = endpoint({
  access: members("viewer"),
  input: accountChange,
  handle: async ({ caller, input: { name } }) => {
    await rename(caller, name);
    return json({ account: serializeAccount(await readAccount(caller), caller.sessionId) });
  },
});
