import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { keyRevocation } from "@/lib/viewer-tokens/key-schema";
import { revokeViewerKey } from "@/lib/viewer-tokens/keys";

export const POST = endpoint({
  access: members("admin"),
  input: keyRevocation,
  handle: async ({ caller, input }) =>
    json({
      keys: await revokeViewerKey(input.kid, { environmentId: environmentOf(caller).id, author: memberAuthor(caller) }),
    }),
});
