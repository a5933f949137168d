import { apiTokenId } from "@/lib/api-tokens/schema";
import { revokeApiTokenOf } from "@/lib/api-tokens/service";
import { environmentOf, memberAuthor } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";

export const DELETE = endpoint({
  access: members("admin"),
  input: apiTokenId,
  handle: async ({ caller, input }) => {
    await revokeApiTokenOf(environmentOf(caller), input.id, memberAuthor(caller));
    return json({});
  },
});

export const HEAD = noHead({ DELETE });
