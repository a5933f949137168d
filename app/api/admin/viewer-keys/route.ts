import { environmentOf } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { listViewerKeys } from "@/lib/viewer-tokens/keys";
import { answerKeys } from "@/lib/viewer-tokens/serialize";

export const GET = endpoint({
  access: members("admin"),
  input: noInput,
  handle: async ({ caller }) => answerKeys(await listViewerKeys(environmentOf(caller).id)),
});
