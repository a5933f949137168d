import { environmentOf } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { listViewerKeys } from "@/lib/viewer-tokens/keys";

export const GET = endpoint({
  access: members("admin"),
  input: noInput,
  handle: async ({ caller }) => json({ keys: await listViewerKeys(environmentOf(caller).id) }),
});
