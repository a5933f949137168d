import { ANSWERED_EXAMPLE, suggestionAnswer } from "@/lib/definitions/schema";
import { answerSuggestion } from "@/lib/definitions/serialize";
import { suggestionFor } from "@/lib/definitions/suggest";
import { withScopes } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  operationId: "suggestDefinitions",
  summary: "Suggest definitions",
  description:
    "Returns the definitions together with suggestions drawn from the newest groups, to edit and then set: types, " +
    "allowed values from recurring texts, schemas and data sources; a property that every group has becomes " +
    "required. Existing definitions stay. Nothing is changed.",
  access: withScopes("groups:read"),
  input: noInput,
  answered: "The suggestion.",
  answer: suggestionAnswer,
  answerExample: ANSWERED_EXAMPLE,
  handle: async ({ caller }) => answerSuggestion(await suggestionFor(caller.environment.id)),
});
