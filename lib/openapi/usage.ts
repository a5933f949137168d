import type { ZodOpenApiPathsObject } from "zod-openapi";
import { BODILESS, failures, otherFailure } from "@/lib/openapi/failure";
import { headers } from "@/lib/openapi/header";
import { USER_GROUPS } from "@/lib/openapi/tag";
import { asQuery } from "@/lib/openapi/user-group";
import { usageByDayAnswer, usageByGroupAnswer, usageInput } from "@/lib/usage/schema";

const dates = { from: "2026-11-19", to: "2026-11-20" };

/** The call about the use, from the schemas of its route. */
export const usagePaths: ZodOpenApiPathsObject = {
  "/api/usage": {
    get: {
      tags: [USER_GROUPS.name],
      operationId: "getUsage",
      summary: "Count checks",
      description:
        "Returns how often renderers checked tokens, per UTC day by the database's clock: answers of `POST /api/viewer` with `active: true`. They appear within 10 seconds and are kept for 13 months. A process that is killed loses its last counts, so do not bill by them. Needs the scope `groups:read`.",
      parameters: Object.entries(usageInput.shape).map(([name, field]) => asQuery(name, field)),
      responses: {
        200: {
          description: "The checks by day, or with `by=user_group` by group.",
          headers: headers("X-Request-Id"),
          content: {
            "application/json": {
              schema: usageByDayAnswer.or(usageByGroupAnswer),
              examples: {
                day: {
                  summary: "By day",
                  value: {
                    ...{ success: 1, ...dates, checks: 42 },
                    days: [
                      { day: "2026-11-19", checks: 12 },
                      { day: "2026-11-20", checks: 30 },
                    ],
                  },
                },
                user_group: {
                  summary: "By group",
                  value: {
                    ...{ success: 1, ...dates, next_cursor: null },
                    user_groups: [
                      { team_id: 3, provided_id: "example_1", name: "Example 1", checks: 42, days: [12, 30] },
                    ],
                  },
                },
              },
            },
          },
        },
        ...failures(["invalid_fields"], BODILESS),
        default: otherFailure,
      },
    },
  },
};
