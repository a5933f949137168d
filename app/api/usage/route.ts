import { withScopes } from "@/lib/endpoint/access";
import { json } from "@/lib/endpoint/call";
import { endpoint } from "@/lib/endpoint/endpoint";
import { usageByDayAnswer, usageByGroupAnswer, usageInput } from "@/lib/usage/schema";
import { readUsage } from "@/lib/usage/service";

export const GET = endpoint({
  operationId: "getUsage",
  summary: "Count checks",
  description:
    "Returns how often tokens were minted or checked, per UTC day by the database's clock: answers of `POST " +
    "/api/viewer-tokens`, and of `POST /api/viewer` with `active: true` or the reason `incomplete`. They appear " +
    "within 10 seconds and are kept for 13 months. A process that is killed loses its last counts, so do not bill by them.",
  access: withScopes("groups:read"),
  input: usageInput,
  answered: "The checks by day, or with `by=user_group` by group.",
  answer: usageByDayAnswer.or(usageByGroupAnswer),
  answerExamples: {
    day: {
      summary: "By day",
      value: {
        from: "2026-11-19",
        to: "2026-11-20",
        days: [
          { day: "2026-11-19", checks: 12 },
          { day: "2026-11-20", checks: 30 },
        ],
      },
    },
    user_group: {
      summary: "By group",
      value: { from: "2026-11-19", to: "2026-11-20", next_cursor: null, user_groups: [{ days: [12, 30] }] },
    },
  },
  handle: async ({ caller, input }) => json(await readUsage(caller.environment.id, input)),
});
