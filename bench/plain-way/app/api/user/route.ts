import { groupRequest, tokenRotation } from "@/lib/groups/schema";
import { serializeRotated, serializeUpdated } from "@/lib/groups/serialize";
import { handle } from "../../../call";
import { rotateToken, updateGroup } from "../../../groups";

export const PUT = handle(groupRequest, async (caller, body) =>
  serializeUpdated(await updateGroup(caller, body), caller),
);

export const POST = handle(tokenRotation, async (caller, body) =>
  serializeRotated(await rotateToken(caller, body), caller),
);
