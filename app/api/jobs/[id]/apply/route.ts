import { programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobPath } from "@/lib/jobs/schema";
import { APPLYING } from "@/lib/jobs/scopes";
import { serializeJob } from "@/lib/jobs/serialize";
import { applyJobAs } from "@/lib/jobs/service";

export const POST = endpoint({
  access: programsWith(APPLYING),
  conditions: [],
  input: jobPath,
  handle: async ({ caller, input }) => json({ job: serializeJob(await applyJobAs(caller, input.id)) }),
});
