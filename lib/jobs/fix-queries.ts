import { callApi } from "@/lib/browser/api-client";
import type { JobAnswer } from "@/lib/jobs/schema";
import { type RawJson, writeJson } from "@/lib/json/raw-json";

/** What to do with a member that groups have or lack. A value is JSON text, so that nothing changes a number. */
export type Fix = { set: RawJson } | { rename_to: string } | { remove: true };

/** Has a fix checked, as a job with a row for each group; nothing changes before that is applied. */
export function askToFix(environment: string, finding: string, fix: Fix): Promise<JobAnswer> {
  const body = writeJson({ finding, ...fix });
  return callApi("/api/definitions/fixes", { environment, method: "POST", body, isRepeatable: true });
}
