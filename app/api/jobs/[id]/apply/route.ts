import { programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobPath } from "@/lib/jobs/schema";
import { serializeJob } from "@/lib/jobs/serialize";
import { APPLYING, applyJobAs } from "@/lib/jobs/service";

export const POST = endpoint({
  access: programsWith(APPLYING),
  conditions: [],
  input: jobPath,
  handle: async ({ caller, input }) => json({ job: serializeJob(await applyJobAs(caller, input.id)) }),
});
