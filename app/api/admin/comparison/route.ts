import { comparisonInput } from "@/lib/comparison/schema";
import { answerParts } from "@/lib/comparison/serialize";
import { compareSettings, pairOf } from "@/lib/comparison/service";
import { members } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";

export const GET = endpoint({
  access: members("viewer"),
  input: comparisonInput,
  handle: async ({ caller, input }) => answerParts(await compareSettings(caller, await pairOf(caller, input.with))),
});
