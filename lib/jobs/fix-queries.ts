import { callApi } from "@/lib/browser/api-client";
import type { JobAnswer } from "@/lib/jobs/schema";
import { type RawJson, writeJson } from "@/lib/json/raw-json";

/** What to do with a member that groups have or lack. A value is JSON text, so that numbers stay exact. */
export type Fix = { set: RawJson } | { rename_to: string } | { remove: true };

/** Begins a fix as a job with a row for each group; nothing changes until the job is applied. */
export function askToFix(environment: string, finding: string, fix: Fix): Promise<JobAnswer> {
  const body = writeJson({ finding, ...fix });
  return callApi("/api/definitions/fixes", { environment, method: "POST", body, isRepeatable: true });
}
