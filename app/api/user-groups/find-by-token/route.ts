import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { tokenSearch } from "@/lib/groups/token-schema";
import { searchToken } from "@/lib/groups/token-search";

export const POST = endpoint({
  access: programs("tokens:read"),
  conditions: [],
  input: tokenSearch,
  handle: async (request) => json(await searchToken(request)),
});
