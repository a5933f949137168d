import { programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobPath } from "@/lib/jobs/schema";
import { CANCELLING } from "@/lib/jobs/scopes";
import { serializeJob } from "@/lib/jobs/serialize";
import { cancelJobAs } from "@/lib/jobs/service";

export const POST = endpoint({
  access: programsWith(CANCELLING),
  conditions: [],
  input: jobPath,
  handle: async ({ caller, input }) => json({ job: serializeJob(await cancelJobAs(caller, input.id)) }),
});
