import { countDifferences } from "@/lib/comparison/groups";
import { groupCountsInput } from "@/lib/comparison/schema";
import { answerGroupCounts } from "@/lib/comparison/serialize";
import { pairOf } from "@/lib/comparison/service";
import { members } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: members("viewer"),
  input: groupCountsInput,
  handle: async ({ caller, input }) =>
    answerGroupCounts(await countDifferences(await pairOf(caller, input.with), input.cursor)),
});
