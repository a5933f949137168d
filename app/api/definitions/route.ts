import { ANSWERED_EXAMPLE, definitions, definitionsAnswer } from "@/lib/definitions/schema";
import { answerDefinitions } from "@/lib/definitions/serialize";
import { changeDefinitions, readDefinitions } from "@/lib/definitions/service";
import { withScopes } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { entityTags } from "@/lib/groups/group";

export const GET = endpoint({
  operationId: "getDefinitions",
  summary: "Get the definitions",
  description: "Returns what every group of the environment must have.",
  access: withScopes("groups:read"),
  input: noInput,
  answered: "The definitions.",
  answer: definitionsAnswer,
  answerExample: ANSWERED_EXAMPLE,
  etag: '"d-1"',
  handle: async ({ caller }) => answerDefinitions(await readDefinitions(caller.environment.id)),
});

// Minting too: definitions decide what viewer tokens contain.
export const PUT = endpoint({
  operationId: "setDefinitions",
  summary: "Set the definitions",
  description:
    "Replaces all definitions: whatever is omitted is reset. With `enforcement: enforce`, every write that sets a " +
    "member to a value they refuse, or removes a required one, is answered 422 from then on, including one already " +
    "under way. Groups stay as they are.",
  access: withScopes("definitions:write", "viewers:mint"),
  conditions: ["If-Match"],
  input: definitions,
  answered: "The definitions.",
  answer: definitionsAnswer,
  answerExample: ANSWERED_EXAMPLE,
  etag: '"d-1"',
  handle: async ({ call, caller, input }) =>
    answerDefinitions(await changeDefinitions({ caller, input, tags: entityTags(call.headers["if-match"]) })),
});
