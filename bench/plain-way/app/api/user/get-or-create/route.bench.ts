import { groupRequest } from "@/lib/groups/schema";
import { answerFound } from "@/lib/groups/serialize";
import { handle } from "../../../../call";
import { getOrCreateGroup } from "../../../../groups";

// Next drops the body of a GET: get-or-create is a POST here.
export const POST = handle(groupRequest, async (caller, body) => answerFound(await getOrCreateGroup(caller, body)));
