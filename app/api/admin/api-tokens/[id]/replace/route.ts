import { replaceApiToken } from "@/lib/api-tokens/replacement";
import { apiTokenReplacement } from "@/lib/api-tokens/schema";
import { serializeApiToken } from "@/lib/api-tokens/serialize";
import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";

export const POST = endpoint({
  access: members("admin"),
  input: apiTokenReplacement,
  handle: async ({ caller, input: { id, overlapSeconds } }) => {
    const which = { id, environmentId: environmentOf(caller).id };
    return json(serializeApiToken(await replaceApiToken(which, overlapSeconds, memberAuthor(caller))));
  },
});
