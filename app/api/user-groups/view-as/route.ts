import { asApiCaller } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { viewAsRequest } from "@/lib/viewer-tokens/mint-schema";
import { answerView } from "@/lib/viewer-tokens/serialize";
import { viewAs } from "@/lib/viewer-tokens/view-as";

export const POST = endpoint({
  access: members("admin"),
  input: viewAsRequest,
  handle: async ({ caller, input }) => answerView(await viewAs({ caller: asApiCaller(caller), input })),
});
