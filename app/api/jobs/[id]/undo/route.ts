import { withNeeds } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobUndo } from "@/lib/jobs/change-schema";
import { BEGUN_EXAMPLE, jobAnswer, KEPT_DAYS } from "@/lib/jobs/schema";
import { UNDOING } from "@/lib/jobs/scopes";
import { answerJob } from "@/lib/jobs/serialize";
import { beginUndo } from "@/lib/jobs/undo";

export const POST = endpoint({
  operationId: "undoJob",
  summary: "Undo a job",
  description:
    `Begins a job that undoes one that ended within ${KEPT_DAYS} days. Changed groups get their earlier values ` +
    "back, deleted groups that are still kept return with their tokens, and created groups that no one has used or " +
    "changed are deleted, and can be restored. Whatever has changed since is kept: its rows are errors that say why.",
  access: withNeeds(UNDOING),
  input: jobUndo,
  requestExample: { apply: true },
  answered: "The new job, which is being checked.",
  answer: jobAnswer,
  answerExample: BEGUN_EXAMPLE,
  errors: ["conflict"],
  handle: async ({ caller, input }) => answerJob(await beginUndo(caller, input)),
});
