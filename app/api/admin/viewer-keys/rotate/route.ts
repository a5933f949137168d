import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { keyRotation } from "@/lib/viewer-tokens/key-schema";
import { rotateViewerKey } from "@/lib/viewer-tokens/keys";

export const POST = endpoint({
  access: members("admin"),
  input: keyRotation,
  handle: async ({ caller, input }) =>
    json({
      keys: await rotateViewerKey(input.template, {
        environmentId: environmentOf(caller).id,
        author: memberAuthor(caller),
      }),
    }),
});
