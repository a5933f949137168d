import { withNeeds } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { lanes } from "@/lib/endpoint/lanes";
import { BATCH_CONDITIONS, runBatch } from "@/lib/groups/batch";
import { readBatch } from "@/lib/groups/batch-input";
import { BATCHES_AT_ONCE, batchAnswer, batchRequest, MAX_BATCH_BYTES } from "@/lib/groups/batch-schema";

const UPSERT = {
  user_groups: [
    { user_group_id: "example_1", name: "Example 1", properties: { plan: "pro" } },
    { user_group_id: "example_2", properties: { plan: "basic" } },
  ],
};

export const POST = endpoint({
  operationId: "batchUserGroups",
  summary: "Create, change, delete or rotate many user groups",
  description:
    "Does the same to up to 500 groups, in a body of up to 4 MiB, of which at most 64 KiB are outside the list. Each " +
    "group is handled on its own: the results are in the order of the request, and an error in one does not affect " +
    "the others. A body that is not I-JSON is refused as a whole.\n\n" +
    "An API token has at most two batches at a time on each instance. A group with the error " +
    "`unavailable` may not have been changed: send it again. Answers never contain a token.",
  access: withNeeds({ scopes: ["groups:write"], sometimes: BATCH_CONDITIONS }),
  conditions: ["Idempotency-Key"],
  maxBody: MAX_BATCH_BYTES,
  enter: lanes(BATCHES_AT_ONCE, "batches"),
  read: readBatch,
  parameters: {
    "Idempotency-Key": {
      description:
        "Makes the batch safe to retry: for 24 h, the same key and body do only what is not done yet, and return " +
        "the first results of the rest. A dry run ignores it. Keys are per API token.",
      schema: { type: "string", minLength: 1, maxLength: 255, examples: ["sync-2026-11-25-part-1"] },
    },
  },
  body: batchRequest,
  requestExamples: {
    upsert: { summary: "Create or merge", value: UPSERT },
    dryRun: { summary: "What would happen", value: { ...UPSERT, dry_run: true } },
    rotate: { summary: "Rotate tokens", value: { mode: "rotate", overlap_seconds: 86_400 } },
    delete: { summary: "Delete", value: { mode: "delete" } },
  },
  answered: "The outcome for each group.",
  answer: batchAnswer,
  answerExample: {
    results: [
      { user_group_id: "example_1", outcome: "created", team_id: 3, etag: '"3-1"' },
      {
        user_group_id: "example_2",
        outcome: "error",
        error: {
          code: "invalid_fields",
          message: "This user group was not changed: user_groups.1.name must not be empty.",
          issues: [{ path: ["user_groups", 1, "name"], message: "must not be empty" }],
        },
      },
    ],
  },
  handle: async ({ call, caller, input }) =>
    json({ results: await runBatch(caller, input, call.headers["idempotency-key"]?.toString()) }),
});
