import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { listDeletedGroups } from "@/lib/groups/deleted-list";
import { deletedListAnswer, deletedQuery } from "@/lib/groups/deletion-schema";
import { answerDeletedList } from "@/lib/groups/serialize";

export const GET = endpoint({
  operationId: "listDeletedUserGroups",
  summary: "List deleted user groups",
  description: "The deleted groups that can still be restored, most recently deleted first. Never a token.",
  access: withScopes("groups:read"),
  input: deletedQuery,
  answered: "A page of deleted groups.",
  answer: deletedListAnswer,
  handle: async ({ caller, input }) => answerDeletedList(await listDeletedGroups(caller.environment.id, input), caller),
});
