import { route } from "@/lib/endpoint/route";
import { viewerQuestion } from "@/lib/groups/schema";
import { serializeViewer } from "@/lib/groups/serialize";
import { noteUse } from "@/lib/groups/use";

export const POST = route({
  body: viewerQuestion,
  access: "read",
  handle: async ({ caller, group }) => serializeViewer(noteUse(group), caller),
});
