import { z } from "zod";
import { adminRoute } from "@/lib/endpoint/admin";
import { readAccount, rename } from "@/lib/members/account";
import { accountChange } from "@/lib/members/schema";
import { serializeAccount } from "@/lib/members/serialize";

export const GET = adminRoute({
  role: "viewer",
  input: z.strictObject({}),
  handle: async ({ caller }) => ({ account: serializeAccount(await readAccount(caller), caller) }),
});

export const PATCH = adminRoute({
  role: "viewer",
  input: accountChange,
  handle: async ({ caller, input: { name } }) => {
    await rename(caller, name);
    return { account: serializeAccount(await readAccount(caller), caller) };
  },
});
