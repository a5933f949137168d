import { compareGroups } from "@/lib/comparison/groups";
import { groupComparisonInput } from "@/lib/comparison/schema";
import { answerComparedGroups } from "@/lib/comparison/serialize";
import { pairOf } from "@/lib/comparison/service";
import { members } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: members("viewer"),
  input: groupComparisonInput,
  handle: async ({ caller, input }) =>
    answerComparedGroups(await compareGroups(await pairOf(caller, input.with), input)),
});
