import { asApiCaller } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { groupById } from "@/lib/groups/schema";
import { answerView } from "@/lib/viewer-tokens/serialize";
import { viewAs } from "@/lib/viewer-tokens/view-as";

export const POST = endpoint({
  access: members("admin"),
  input: groupById,
  handle: async ({ caller, input }) => answerView(await viewAs({ caller: asApiCaller(caller), input })),
});
