import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { tokenSearch } from "@/lib/groups/schema";
import { searchToken } from "@/lib/groups/token-search";

export const POST = endpoint({
  access: members("admin"),
  input: tokenSearch,
  handle: async ({ caller, input }) => json(await searchToken(input.text, caller.environment?.id)),
});

export const HEAD = noHead({ POST });
