import { programs } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { beginFix } from "@/lib/jobs/begin";
import { fixRequest } from "@/lib/jobs/fix-schema";
import { serializeJob } from "@/lib/jobs/serialize";

export const POST = endpoint({
  access: programs("groups:write"),
  conditions: [],
  input: fixRequest,
  handle: async ({ caller, input }) => json({ job: serializeJob(await beginFix(caller, input)) }),
});
