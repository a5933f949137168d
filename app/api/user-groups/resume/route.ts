import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { groupResumption } from "@/lib/groups/schema";
import { answerState } from "@/lib/groups/serialize";
import { resumeGroup } from "@/lib/groups/state";

export const POST = endpoint({
  access: programs("groups:write"),
  input: groupResumption,
  handle: async (request) => answerState(await resumeGroup(request), request.caller),
});

export const HEAD = noHead({ POST });
