import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { listGroups } from "@/lib/groups/list";
import { groupListAnswer, groupListInput } from "@/lib/groups/list-schema";
import { answerList } from "@/lib/groups/serialize";

export const GET = endpoint({
  operationId: "listUserGroups",
  summary: "List user groups",
  description:
    "Returns the named groups, or a page of those that match, never with a token. Follow `next_cursor` until it is " +
    "null: a page can be short, or empty, before that.",
  access: withScopes("groups:read"),
  input: groupListInput,
  answered: "A page of groups.",
  answer: groupListAnswer,
  handle: async ({ caller, input }) => answerList(await listGroups(caller.environment.id, input), caller),
});
