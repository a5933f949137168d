import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { viewerAnswer } from "@/lib/groups/answer-schema";
import { viewerQuestion } from "@/lib/groups/schema";
import { byPresented, identifyViewer } from "@/lib/viewer-tokens/identify";

export const POST = endpoint({
  operationId: "identifyViewer",
  summary: "Identify a viewer",
  description:
    "For the program that renders a dashboard: returns the group of the token that a viewer presented, a user group " +
    "token or a viewer token. A text that is neither, in the API token's environment, is not an error: the answer is " +
    "`active: false`, with a `reason` only for a token of ours. The call changes nothing. A rotated token becomes " +
    "inactive immediately, unless the rotation has an overlap: until that ends, the answer has `token_state: " +
    '"previous"` and `valid_until`. So do not cache the answer for long.',
  access: withScopes("viewers:ask"),
  conditions: "ignored",
  input: viewerQuestion,
  group: ({ token }) => byPresented(token),
  answered: "The group, or `active: false`.",
  answer: viewerAnswer,
  answerExamples: {
    active: { summary: "A current token" },
    previous: {
      summary: "A replaced token in its overlap",
      value: { token_state: "previous", valid_until: "2026-11-20T09:00:00.000Z" },
    },
    inactive: { summary: "Any other text", value: { active: false } },
  },
  etag: { description: "The version of the group, if there is one." },
  handle: identifyViewer,
});
