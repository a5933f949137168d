import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { revealToken } from "@/lib/groups/reveal";
import { answerRotated } from "@/lib/groups/serialize";
import { tokenReveal } from "@/lib/groups/token-schema";

export const POST = endpoint({
  access: programs("tokens:read"),
  conditions: [],
  input: tokenReveal,
  handle: async (request) => answerRotated(await revealToken(request), request.caller),
});
