import { groupRequest } from "@/lib/groups/schema";
import { serializeFound } from "@/lib/groups/serialize";
import { handle } from "../../../../call";
import { getOrCreateGroup } from "../../../../groups";

// Next drops the body of a GET: get-or-create is a POST here.
export const POST = handle(groupRequest, async (caller, body) => serializeFound(await getOrCreateGroup(caller, body)));
