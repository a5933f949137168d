import { groupRequest, tokenRotation } from "@/lib/groups/schema";
import { answerRotated, answerUpdated } from "@/lib/groups/serialize";
import { handle } from "../../../call";
import { rotateByToken, updateGroup } from "../../../groups";

export const PUT = handle(groupRequest, async (caller, body) => answerUpdated(await updateGroup(caller, body), caller));

export const POST = handle(tokenRotation, async (caller, body) =>
  answerRotated(await rotateByToken(caller, body), caller),
);
