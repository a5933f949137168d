import { definitions } from "@/lib/definitions/schema";
import type { FieldIssue } from "@/lib/errors";
import { checkFields } from "@/lib/json/fields";
import { readStoredMembers } from "@/lib/json/json";

/** Why definitions, given as JSON text, would be refused; uses the service's own schema. */
export function issuesIn(text: string): FieldIssue[] {
  return checkFields(readStoredMembers(text) as object, definitions).issues ?? [];
}

/** Issues by the name they are about; undefined for issues with a whole member. */
export function issuesByName(issues: readonly FieldIssue[]): Map<FieldIssue["path"][number] | undefined, FieldIssue[]> {
  const byName = new Map<FieldIssue["path"][number] | undefined, FieldIssue[]>();
  for (const issue of issues) byName.set(issue.path[1], [...(byName.get(issue.path[1]) ?? []), issue]);
  return byName;
}
