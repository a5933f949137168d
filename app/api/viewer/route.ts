import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { byToken } from "@/lib/groups/group";
import { viewerQuestion } from "@/lib/groups/schema";
import { answerViewer } from "@/lib/groups/serialize";
import { noteUse } from "@/lib/groups/use";

export const POST = endpoint({
  access: programs("viewers:ask"),
  input: viewerQuestion,
  group: ({ token }) => byToken(token),
  handle: ({ caller, group }) => answerViewer(noteUse(group), caller),
});

export const HEAD = noHead({ POST });
