import { withNeeds, withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { lanes } from "@/lib/endpoint/lanes";
import { beginJob, MAX_JOB_BYTES, readNewJob } from "@/lib/jobs/begin";
import { newJob } from "@/lib/jobs/change-schema";
import { jobAnswer, jobList, PIECE_BYTES } from "@/lib/jobs/schema";
import { BEGINNING } from "@/lib/jobs/scopes";
import { answerJob, serializeJob } from "@/lib/jobs/serialize";
import { JOBS_AT_ONCE } from "@/lib/jobs/service";
import { listJobs } from "@/lib/jobs/stored";

export const GET = endpoint({
  operationId: "listJobs",
  summary: "List jobs",
  description: "The open jobs of the environment, then the newest others: 20 in all.",
  access: withScopes("groups:read"),
  input: noInput,
  answered: "The jobs, open ones first.",
  answer: jobList,
  handle: async ({ caller }) => json({ jobs: (await listJobs(caller.environment.id)).map(serializeJob) }),
});

export const POST = endpoint({
  operationId: "createJob",
  summary: "Begin a job",
  description:
    `An import waits for its file: send it in pieces of ${PIECE_BYTES.toLocaleString("en")} bytes. It is CSV or ` +
    "JSON lines in UTF-8, of up to 64 MiB and 200,000 rows, and sets neither `state` nor `access_ends_at`. A change " +
    "names its groups or a filter, and what to do with them. Then each row is checked, which changes nothing. An API " +
    "token has at most two open jobs, an environment ten.",
  access: withNeeds(BEGINNING),
  conditions: ["Idempotency-Key"],
  maxBody: MAX_JOB_BYTES,
  enter: lanes(JOBS_AT_ONCE, "requests to begin a job"),
  read: readNewJob,
  body: newJob,
  requestExample: { bytes: 412_000, mode: "sync", max_deletions: "5%" },
  answered: "The job, which waits for its file or is being checked.",
  answer: jobAnswer,
  errors: ["conflict"],
  handle: async ({ call, caller, input }) =>
    answerJob(await beginJob(caller, input, call.headers["idempotency-key"]?.toString())),
});
