import { withNeeds } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { upsertedAnswer } from "@/lib/groups/answer-schema";
import { GROUP_EXAMPLE, groupMerge } from "@/lib/groups/schema";
import { answerFound } from "@/lib/groups/serialize";
import { CREATION, upsertGroup } from "@/lib/groups/service";

export const POST = endpoint({
  operationId: "upsertUserGroup",
  summary: "Create a user group or merge into it",
  description:
    "Creates the group if there is none, and otherwise merges the given fields like `PATCH`: one call for a page " +
    "view or a sync. The same call again changes nothing and says `changed: false`. `If-Match` is refused: `PATCH` " +
    "takes it.",
  access: withNeeds({ scopes: ["groups:write", "tokens:read"], sometimes: [CREATION] }),
  input: groupMerge,
  group: ({ user_group_id: providedId }) => [{ providedId }],
  requestExample: GROUP_EXAMPLE,
  answered: "The group with its token.",
  answer: upsertedAnswer,
  etag: '"3-1"',
  errors: ["unknown_user_group"],
  handle: async (request) => answerFound(await upsertGroup(request)),
});
