import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { noHead } from "@/lib/endpoint/no-head";
import { byToken } from "@/lib/groups/group";
import { viewerQuestion } from "@/lib/groups/schema";
import { answerViewer } from "@/lib/groups/serialize";
import { identifyViewer } from "@/lib/groups/viewing";

export const POST = endpoint({
  access: programs("viewers:ask"),
  input: viewerQuestion,
  group: ({ token }) => byToken(token),
  handle: async (question) => answerViewer(await identifyViewer(question), question.caller),
});

export const HEAD = noHead({ POST });
