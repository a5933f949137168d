import type { ZodOpenApiPathsObject } from "zod-openapi";
import { batchAnswer, batchRequest } from "@/lib/groups/batch-schema";
import { failures, otherFailure } from "@/lib/openapi/failure";
import { headers } from "@/lib/openapi/header";
import { USER_GROUPS } from "@/lib/openapi/tag";

const upsert = {
  mode: "upsert",
  user_groups: [
    { user_group_id: "example_1", name: "Example 1", properties: { plan: "pro" } },
    { user_group_id: "example_2", properties: { plan: "basic" } },
  ],
};

/** Many groups in a call. */
export const batchPaths: ZodOpenApiPathsObject = {
  "/api/user-groups/batch": {
    post: {
      tags: [USER_GROUPS.name],
      operationId: "batchUserGroups",
      summary: "Create, change, delete or rotate many user groups",
      description:
        "Does the same to up to 500 groups, in a body of up to 4 MiB, of which at most 64 KiB are outside the list. Each group is judged alone: the results are in the order of the request, and one with an error does not affect the others. A body that is not I-JSON is refused as a whole.\n\nAn API token has at most two batches at a time in each process of the service. A group with the error `unavailable` was not done, or that is not confirmed: send it again. Answers never contain a token.",
      parameters: [
        {
          name: "Idempotency-Key",
          in: "header",
          description:
            "Makes the batch safe to retry: for 24 h, the same key and body do only what was not done yet, and give the first results of the rest. A dry run ignores it. Keys are per API token.",
          schema: { type: "string", minLength: 1, maxLength: 255, examples: ["sync-2026-11-25-part-1"] },
        },
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: batchRequest,
            examples: {
              upsert: { summary: "Create or merge", value: upsert },
              dryRun: { summary: "What would happen", value: { ...upsert, dry_run: true } },
              rotate: {
                summary: "Rotate tokens",
                value: { mode: "rotate", overlap_seconds: 86_400, user_groups: [{ user_group_id: "example_1" }] },
              },
              delete: { summary: "Delete", value: { mode: "delete", user_groups: [{ user_group_id: "example_1" }] } },
            },
          },
        },
      },
      responses: {
        200: {
          description: "What became of each group.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": {
              schema: batchAnswer,
              examples: {
                upserted: {
                  value: {
                    success: 1,
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
                },
              },
            },
          },
        },
        ...failures(["idempotency_conflict"]),
        default: otherFailure,
      },
    },
  },
};
