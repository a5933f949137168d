import { route } from "@/lib/endpoint/route";
import { rotateToken } from "@/lib/groups/rotation";
import { groupRequest, tokenRotation } from "@/lib/groups/schema";
import { serializeFound, serializeRotated, serializeUpdated } from "@/lib/groups/serialize";
import { getOrCreateGroup, updateGroup } from "@/lib/groups/service";

export const GET = route({
  body: groupRequest,
  access: "read",
  handle: async (request) => serializeFound(await getOrCreateGroup(request)),
});

export const PUT = route({
  body: groupRequest,
  access: "write",
  handle: async ({ headers, ...request }) =>
    serializeUpdated(await updateGroup({ ifMatch: headers["if-match"], ...request }), request.caller),
});

export const POST = route({
  body: tokenRotation,
  access: "write",
  handle: async ({ headers, ...request }) =>
    serializeRotated(
      await rotateToken({ idempotencyKey: headers["idempotency-key"]?.toString(), ...request }),
      request.caller,
    ),
});
