import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobPath } from "@/lib/jobs/schema";
import { serializeJob } from "@/lib/jobs/serialize";
import { findJob } from "@/lib/jobs/stored";

export const GET = endpoint({
  access: programs("groups:read"),
  input: jobPath,
  handle: async ({ caller, input }) =>
    json({
      job: serializeJob(await findJob(caller.environment.id, input.id)),
    }),
});
