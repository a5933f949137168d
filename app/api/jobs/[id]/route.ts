import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobAnswer, jobPath } from "@/lib/jobs/schema";
import { answerJob } from "@/lib/jobs/serialize";
import { findJob } from "@/lib/jobs/stored";

export const GET = endpoint({
  operationId: "getJob",
  summary: "Get a job",
  description: "Returns the job's state and figures. Ask again while it is `checking` or `applying`.",
  access: withScopes("groups:read"),
  input: jobPath,
  answered: "The job.",
  answer: jobAnswer,
  handle: async ({ caller, input }) => answerJob(await findJob(caller.environment.id, input.id)),
});
