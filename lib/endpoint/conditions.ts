import type { Call } from "@/lib/endpoint/call";
import { type FieldIssue, invalidFields } from "@/lib/errors";

/** A header that makes a change conditional. */
export type Condition = keyof typeof WORKS_ON;

const WORKS_ON = {
  "Idempotency-Key": "POST /api/user, /api/user-groups/rotate, /api/user-groups/batch and /api/jobs",
  "If-Match":
    "PUT, PATCH and DELETE /api/user, POST /api/user-groups/suspend, resume and rotate, and PUT /api/definitions " +
    "and /api/settings",
} as const;

/**
 * Refuses the conditions that a call does not honour: its caller relies on them.
 * @throws {AppError} `invalid_fields`
 */
export function refuseConditions({ headers }: Call, honoured: readonly Condition[]) {
  const issues = (Object.keys(WORKS_ON) as Condition[]).flatMap((name): FieldIssue[] => {
    if (honoured.includes(name) || headers[name.toLowerCase()] === undefined) return [];
    return [{ path: [name], message: `has no effect on this call: it works on ${WORKS_ON[name]}` }];
  });
  if (issues.length > 0) throw invalidFields(issues);
}
