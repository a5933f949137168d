import { callApi } from "@/lib/browser/api-client";
import type { JobAnswer } from "@/lib/jobs/schema";

/** What to do with a member that groups have or lack. */
export type Fix =
  | { kind: "set" /** JSON text */; literal: string }
  | { kind: "rename"; to: string }
  | { kind: "remove" };

/**
 * Has a fix checked, as a job with a row for each group; nothing changes before that is applied.
 * @throws {ApiError}
 */
export function askToFix(environment: string, finding: string, fix: Fix): Promise<JobAnswer> {
  const options = { environment, method: "POST", body: bodyOf(finding, fix), isRepeatable: true } as const;
  return callApi("/api/definitions/fixes", options);
}

/** As text, so that nothing in between changes a number. */
function bodyOf(finding: string, fix: Fix): string {
  const id = `"finding":${JSON.stringify(finding)}`;
  if (fix.kind === "set") return `{${id},"set":${fix.literal}}`;
  return fix.kind === "remove" ? `{${id},"remove":true}` : `{${id},"rename_to":${JSON.stringify(fix.to)}}`;
}
