import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { restoreGroup } from "@/lib/groups/deletion";
import { groupRestoration } from "@/lib/groups/deletion-schema";
import { answerState } from "@/lib/groups/serialize";

export const POST = endpoint({
  access: programs("groups:delete"),
  conditions: [],
  input: groupRestoration,
  handle: async (request) => {
    const { group, issues } = await restoreGroup(request);
    return answerState(group, request.caller, issues);
  },
});
