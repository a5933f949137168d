import { z } from "zod";
import { definitions } from "@/lib/definitions/schema";
import { answerDefinitions } from "@/lib/definitions/serialize";
import { changeDefinitions, readDefinitions } from "@/lib/definitions/service";
import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { entityTags } from "@/lib/groups/group";

export const GET = endpoint({
  access: programs("groups:read"),
  input: z.strictObject({}),
  handle: async ({ caller }) => answerDefinitions(await readDefinitions(caller.environment.id)),
});

// Minting too: they decide what viewer tokens contain.
export const PUT = endpoint({
  access: programs("definitions:write", "viewers:mint"),
  conditions: ["If-Match"],
  input: definitions,
  handle: async ({ call, caller, input }) =>
    answerDefinitions(await changeDefinitions({ caller, input, tags: entityTags(call.headers["if-match"]) })),
});
