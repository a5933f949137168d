import { withScopes } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { beginFix } from "@/lib/jobs/begin";
import { fixRequest } from "@/lib/jobs/fix-schema";
import { BEGUN_EXAMPLE, jobAnswer } from "@/lib/jobs/schema";
import { answerJob } from "@/lib/jobs/serialize";

export const POST = endpoint({
  operationId: "fixFinding",
  summary: "Fix a finding",
  description:
    "Begins a job that changes one member of every group with a finding: sets it, removes it, or renames it, which " +
    "never overwrites another. Its dry run begins right away; then apply it, cancel it, or undo it like any job. At " +
    "most 200,000 groups at a time.",
  access: withScopes("groups:write"),
  input: fixRequest,
  requestExample: { set: "free" },
  answered: "The job, which is being checked.",
  answer: jobAnswer,
  answerExample: BEGUN_EXAMPLE,
  errors: ["conflict"],
  handle: async ({ caller, input }) => answerJob(await beginFix(caller, input)),
});
