import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { listGroups } from "@/lib/groups/list";
import { groupListInput } from "@/lib/groups/list-schema";
import { answerList } from "@/lib/groups/serialize";

export const GET = endpoint({
  access: programs("groups:read"),
  input: groupListInput,
  handle: async ({ caller, input }) => answerList(await listGroups(caller.environment.id, input), caller),
});
