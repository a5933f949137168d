import { z } from "zod";
import { environmentOf } from "@/lib/auth/member-caller";
import { members } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { listViewerKeys } from "@/lib/viewer-tokens/keys";

export const GET = endpoint({
  access: members("admin"),
  input: z.strictObject({}),
  handle: async ({ caller }) => json({ keys: await listViewerKeys(environmentOf(caller).id) }),
});
