import { previewRequest } from "@/lib/definitions/schema";
import { answerPreview } from "@/lib/definitions/serialize";
import { previewFor } from "@/lib/definitions/service";
import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { byId, noGroup } from "@/lib/groups/group";

export const POST = endpoint({
  access: programs("groups:read"),
  conditions: [],
  input: previewRequest,
  group: ({ user_group_id }) => byId(user_group_id),
  handle: async ({ caller, group, input }) =>
    answerPreview(
      await previewFor(caller.environment.id, { properties: (group ?? noGroup()).properties, sql: input.sql }),
    ),
});
