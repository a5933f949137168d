import { readFindings } from "@/lib/definitions/findings";
import { findingsAnswer } from "@/lib/definitions/findings-schema";
import { answerFindings } from "@/lib/definitions/serialize";
import { readDefinitions } from "@/lib/definitions/service";
import { withScopes } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  operationId: "getFindings",
  summary: "Get findings",
  description:
    "Counts the findings in all groups: violations of the definitions, unless they are off, and what only shows " +
    "across many groups. Groups are checked after a job or a change of the definitions and " +
    "every hour, small environments more often. Each finding is a condition: `GET /api/user-groups?filter=` lists " +
    "the groups that have it now.",
  access: withScopes("groups:read"),
  input: noInput,
  answered: "The findings.",
  answer: findingsAnswer,
  handle: async ({ caller: { environment } }) =>
    answerFindings(await readFindings(environment.id), await readDefinitions(environment.id)),
});
