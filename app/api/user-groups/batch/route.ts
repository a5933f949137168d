import { programsWith } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/answer";
import { endpoint } from "@/lib/endpoint/endpoint";
import { lanes } from "@/lib/endpoint/lanes";
import { BATCH_CONDITIONS, runBatch } from "@/lib/groups/batch";
import { readBatch } from "@/lib/groups/batch-input";
import { BATCHES_AT_ONCE, MAX_BATCH_BYTES } from "@/lib/groups/batch-schema";

export const POST = endpoint({
  access: programsWith({ scopes: ["groups:write"], sometimes: BATCH_CONDITIONS }),
  conditions: ["Idempotency-Key"],
  maxBody: MAX_BATCH_BYTES,
  enter: lanes(BATCHES_AT_ONCE, "batches"),
  read: readBatch,
  handle: async ({ call, caller, input }) =>
    json({ results: await runBatch(caller, input, call.headers["idempotency-key"]?.toString()) }),
});
