import { apiTokenNetworks, apiTokenRevocation } from "@/lib/api-tokens/schema";
import { serializeApiToken } from "@/lib/api-tokens/serialize";
import { changeNetworks, revokeApiTokenOf } from "@/lib/api-tokens/service";
import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { done, json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";

export const PATCH = endpoint({
  access: members("admin"),
  input: apiTokenNetworks,
  handle: async ({ call, caller, input }) =>
    json(serializeApiToken(await changeNetworks(environmentOf(caller), input, memberAuthor(caller), call.address()))),
});

export const DELETE = endpoint({
  access: members("admin"),
  input: apiTokenRevocation,
  handle: async ({ caller, input }) => done(await revokeApiTokenOf(environmentOf(caller), input, memberAuthor(caller))),
});
