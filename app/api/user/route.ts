import { programs, programsWith } from "@/lib/endpoint/access";
import { done } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { deleteGroup } from "@/lib/groups/deletion";
import { groupDeletion } from "@/lib/groups/deletion-schema";
import { byId, byToken } from "@/lib/groups/group";
import { groupMerge } from "@/lib/groups/merge-schema";
import { rotateByToken } from "@/lib/groups/rotation";
import { groupRequest, tokenRotation } from "@/lib/groups/schema";
import { answerFound, answerRotated, answerUpdated } from "@/lib/groups/serialize";
import { CREATION, getOrCreateGroup, mergeGroup, updateGroup } from "@/lib/groups/service";

export const GET = endpoint({
  access: programsWith({ scopes: ["tokens:read"], sometimes: [CREATION] }),
  input: groupRequest,
  bodyOnGet: true,
  hasHead: false,
  group: ({ user_group_id }) => byId(user_group_id),
  handle: async (request) => answerFound(await getOrCreateGroup(request)),
});

export const PUT = endpoint({
  access: programs("groups:write", "tokens:read"),
  checksAuthor: true,
  input: groupRequest,
  handle: async ({ call, caller, input }) =>
    answerUpdated(await updateGroup({ caller, input, ifMatch: call.headers["if-match"] }), caller),
});

export const PATCH = endpoint({
  access: programs("groups:write", "tokens:read"),
  conditions: ["If-Match"],
  input: groupMerge,
  handle: async ({ call, caller, input }) =>
    answerUpdated(await mergeGroup({ caller, input, ifMatch: call.headers["if-match"] }), caller),
});

export const POST = endpoint({
  access: programs("tokens:rotate", "tokens:read"),
  input: tokenRotation,
  group: ({ current_token }) => byToken(current_token),
  handle: async ({ call, ...request }) =>
    answerRotated(
      await rotateByToken({ idempotencyKey: call.headers["idempotency-key"]?.toString(), ...request }),
      request.caller,
    ),
});

export const DELETE = endpoint({
  access: programs("groups:delete"),
  conditions: ["If-Match"],
  input: groupDeletion,
  inQuery: ["user_group_id"],
  handle: async ({ call, caller, input }) =>
    done(await deleteGroup({ caller, input, ifMatch: call.headers["if-match"] })),
});
