import { z } from "zod";
import { answerSuggestion } from "@/lib/definitions/serialize";
import { suggestionFor } from "@/lib/definitions/suggestion-service";
import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: programs("groups:read"),
  input: z.strictObject({}),
  handle: async ({ caller }) => answerSuggestion(await suggestionFor(caller.environment.id)),
});
