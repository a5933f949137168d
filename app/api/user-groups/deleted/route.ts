import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { listDeletedGroups } from "@/lib/groups/deleted-list";
import { deletedQuery } from "@/lib/groups/deletion-schema";
import { answerDeletedList } from "@/lib/groups/deletion-serialize";

export const GET = endpoint({
  access: programs("groups:read"),
  input: deletedQuery,
  handle: async ({ caller, input }) => answerDeletedList(await listDeletedGroups(caller.environment.id, input), caller),
});
