import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { groupResumption } from "@/lib/groups/schema";
import { answerState } from "@/lib/groups/serialize";
import { resumeGroup } from "@/lib/groups/state";

export const POST = endpoint({
  access: programs("groups:write"),
  conditions: ["If-Match"],
  input: groupResumption,
  handle: async ({ call, caller, input }) =>
    answerState(await resumeGroup({ caller, input, ifMatch: call.headers["if-match"] }), caller),
});
