import { withNeeds } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobAnswer, jobPath } from "@/lib/jobs/schema";
import { CANCELLING } from "@/lib/jobs/scopes";
import { answerJob } from "@/lib/jobs/serialize";
import { cancelJobAs } from "@/lib/jobs/service";

export const POST = endpoint({
  operationId: "cancelJob",
  summary: "Cancel a job",
  description: "Ends the job, at any time. Rows already applied stay applied.",
  access: withNeeds(CANCELLING),
  input: jobPath,
  answered: "The job, which has ended.",
  answer: jobAnswer,
  errors: ["conflict"],
  handle: async ({ caller, input }) => answerJob(await cancelJobAs(caller, input.id)),
});
