import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { endGroupOverlap } from "@/lib/groups/rotation";
import { overlapEnding } from "@/lib/groups/schema";
import { answerOverlapEnded } from "@/lib/groups/serialize";

export const POST = endpoint({
  access: programs("tokens:rotate"),
  conditions: [],
  input: overlapEnding,
  handle: async ({ caller, input }) => answerOverlapEnded(await endGroupOverlap({ caller, input }), caller),
});
