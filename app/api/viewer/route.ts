import { viewerQuestion } from "@/lib/groups/schema";
import { serializeViewer } from "@/lib/groups/serialize";
import { noteUse } from "@/lib/groups/use";
import { route } from "@/lib/http/route";

export const POST = route({
  body: viewerQuestion,
  access: "read",
  handle: async ({ caller, group }) => serializeViewer(noteUse(group), caller),
});
