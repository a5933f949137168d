import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { foundTokenAnswer, tokenSearch } from "@/lib/groups/token-schema";
import { searchToken } from "@/lib/groups/token-search";

export const POST = endpoint({
  operationId: "findUserGroupByToken",
  summary: "Find the group of a token",
  description:
    "Finds the user group of the first token, current or former, in a text. The text is never stored or logged.",
  access: withScopes("tokens:read"),
  input: tokenSearch,
  answered: "The owner, if there is one.",
  answer: foundTokenAnswer,
  handle: async (request) => json(await searchToken(request)),
});
