import { withNeeds } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobAnswer, jobPath } from "@/lib/jobs/schema";
import { APPLYING } from "@/lib/jobs/scopes";
import { answerJob } from "@/lib/jobs/serialize";
import { applyJobAs } from "@/lib/jobs/service";

export const POST = endpoint({
  operationId: "applyJob",
  summary: "Apply or continue a job",
  description:
    "Makes the changes of a `checked` job, or what is left of a cancelled or failed one, on the caller's behalf: " +
    "the service keeps checking in the background that the caller may still do so. Groups that others " +
    "have changed since the check are skipped, unless the job names them: then it changes them as they are.",
  access: withNeeds(APPLYING),
  input: jobPath,
  answered: "The job, which is being applied.",
  answer: jobAnswer,
  errors: ["conflict", "too_many_deletions"],
  handle: async ({ caller, input }) => answerJob(await applyJobAs(caller, input.id)),
});
