import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobAnswer, jobPath } from "@/lib/jobs/schema";
import { serializeJob } from "@/lib/jobs/serialize";
import { findJob } from "@/lib/jobs/stored";

export const GET = endpoint({
  operationId: "getJob",
  summary: "Get a job",
  description: "Its state and its figures. Ask again while it is `checking` or `applying`.",
  access: programs("groups:read"),
  input: jobPath,
  answered: "The job.",
  answer: jobAnswer,
  handle: async ({ caller, input }) =>
    json({
      job: serializeJob(await findJob(caller.environment.id, input.id)),
    }),
});
