import { authorOf } from "@/lib/auth/caller";
import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { restoreGroups } from "@/lib/groups/deletion";
import { groupNumbers } from "@/lib/groups/deletion-schema";
import { answerRestored } from "@/lib/groups/deletion-serialize";

export const POST = endpoint({
  access: programs("groups:delete"),
  conditions: [],
  input: groupNumbers,
  handle: async ({ caller, input }) =>
    answerRestored(await restoreGroups(caller.environment.id, input.team_ids, authorOf(caller))),
});
