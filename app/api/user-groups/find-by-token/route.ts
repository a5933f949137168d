import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { foundTokenAnswer, tokenSearch } from "@/lib/groups/token-schema";
import { searchToken } from "@/lib/groups/token-search";

export const POST = endpoint({
  operationId: "findUserGroupByToken",
  summary: "Find out whose token this is",
  description:
    "Finds whose token a text contains: a user group's, current or former, or an API token of this environment. " +
    "The text is never stored or logged.",
  access: programs("tokens:read"),
  input: tokenSearch,
  answered: "The owner, or why there is none.",
  answer: foundTokenAnswer,
  handle: async (request) => json(await searchToken(request)),
});
