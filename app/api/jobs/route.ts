import { z } from "zod";
import { programs, programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { lanes } from "@/lib/endpoint/lanes";
import { beginJob, MAX_JOB_BYTES, readNewJob } from "@/lib/jobs/begin";
import { BEGINNING } from "@/lib/jobs/scopes";
import { serializeJob } from "@/lib/jobs/serialize";
import { JOBS_AT_ONCE } from "@/lib/jobs/service";
import { listJobs } from "@/lib/jobs/stored";

export const GET = endpoint({
  access: programs("groups:read"),
  input: z.strictObject({}),
  handle: async ({ caller }) => json({ jobs: (await listJobs(caller.environment.id)).map(serializeJob) }),
});

export const POST = endpoint({
  access: programsWith(BEGINNING),
  conditions: ["Idempotency-Key"],
  maxBody: MAX_JOB_BYTES,
  enter: lanes(JOBS_AT_ONCE, "jobs"),
  read: readNewJob,
  handle: async ({ call, caller, input }) =>
    json({ job: serializeJob(await beginJob(caller, input, call.headers["idempotency-key"]?.toString())) }),
});
