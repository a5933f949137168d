import { listUsedApiTokens } from "@/lib/api-tokens/calls";
import { newApiToken } from "@/lib/api-tokens/schema";
import { listed, serializeApiToken } from "@/lib/api-tokens/serialize";
import { createApiToken } from "@/lib/api-tokens/service";
import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: members("viewer"),
  input: noInput,
  handle: async ({ caller }) => json({ apiTokens: (await listUsedApiTokens(environmentOf(caller))).map(listed) }),
});

export const POST = endpoint({
  access: members("admin"),
  input: newApiToken,
  handle: async ({ call, caller, input }) =>
    json(serializeApiToken(await createApiToken(environmentOf(caller), input, memberAuthor(caller), call.address()))),
});
