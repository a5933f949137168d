import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { groupSuspension } from "@/lib/groups/schema";
import { answerState } from "@/lib/groups/serialize";
import { suspendGroup } from "@/lib/groups/state";

export const POST = endpoint({
  access: programs("groups:write"),
  conditions: ["If-Match"],
  input: groupSuspension,
  handle: async ({ call, caller, input }) =>
    answerState(await suspendGroup({ caller, input, ifMatch: call.headers["if-match"] }), caller),
});
