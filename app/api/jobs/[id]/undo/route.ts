import { programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { jobUndo } from "@/lib/jobs/change-schema";
import { UNDOING } from "@/lib/jobs/scopes";
import { serializeJob } from "@/lib/jobs/serialize";
import { beginUndo } from "@/lib/jobs/undo";

export const POST = endpoint({
  access: programsWith(UNDOING),
  conditions: [],
  input: jobUndo,
  handle: async ({ caller, input }) => json({ job: serializeJob(await beginUndo(caller, input)) }),
});
