import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { viewerQuestion } from "@/lib/groups/schema";
import { byPresented, identifyViewer } from "@/lib/viewer-tokens/identify";

export const POST = endpoint({
  access: programs("viewers:ask"),
  input: viewerQuestion,
  group: ({ token }) => byPresented(token),
  handle: identifyViewer,
});
