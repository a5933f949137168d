import { programsWith } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { byId } from "@/lib/groups/group";
import { groupMerge } from "@/lib/groups/merge-schema";
import { answerUpserted } from "@/lib/groups/serialize";
import { CREATION, upsertGroup } from "@/lib/groups/service";

export const POST = endpoint({
  access: programsWith({ scopes: ["groups:write", "tokens:read"], sometimes: [CREATION] }),
  conditions: [],
  input: groupMerge,
  group: ({ user_group_id }) => byId(user_group_id),
  handle: async (request) => answerUpserted(await upsertGroup(request)),
});
