import { readFindings } from "@/lib/definitions/findings";
import { findingsAnswer } from "@/lib/definitions/findings-schema";
import { answerFindings } from "@/lib/definitions/serialize";
import { readDefinitions } from "@/lib/definitions/service";
import { programs } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  operationId: "getFindings",
  summary: "Get findings",
  description:
    "Returns what was found in all groups, counted: what the definitions miss in them unless they are off, and what " +
    "shows only among many. Groups are checked after the definitions or an import changed them, and each hour, small " +
    "environments more often. Each finding is a condition: `GET /api/user-groups?filter=` lists the groups that have " +
    "it now.",
  access: programs("groups:read"),
  input: noInput,
  answered: "The findings.",
  answer: findingsAnswer,
  handle: async ({ caller: { environment } }) =>
    answerFindings(await readFindings(environment.id), await readDefinitions(environment.id)),
});
