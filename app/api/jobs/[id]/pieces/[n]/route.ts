import { authorOf } from "@/lib/auth/caller";
import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobAnswer, jobPiece, PIECE_BYTES } from "@/lib/jobs/schema";
import { answerJob } from "@/lib/jobs/serialize";
import { addPiece } from "@/lib/jobs/service";

export const PUT = endpoint({
  operationId: "sendJobPiece",
  summary: "Send a piece of the file",
  description:
    `All pieces but the last have ${PIECE_BYTES.toLocaleString("en")} bytes. They may be sent in any order, and ` +
    "more than once, by the caller that began the job.",
  access: withScopes("groups:read", "groups:write"),
  input: jobPiece,
  parameters: {
    n: { description: "The number of the piece, from 0.", schema: { type: "integer", minimum: 0, examples: [0] } },
  },
  requestExample: { content: "eyJ1c2VyX2dyb3VwX2lkIjoiYSJ9Cg==" },
  answered: "The job.",
  answer: jobAnswer,
  errors: ["conflict"],
  handle: async ({ caller, input: { id, n, content } }) => {
    const piece = { id, n, content: Buffer.from(content, "base64") };
    return answerJob(await addPiece(caller.environment.id, piece, authorOf(caller)));
  },
});
