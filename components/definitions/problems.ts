import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { findProblems, type JsonProblem, placeOf } from "@/components/json-editor/problems";
import { definitions } from "@/lib/definitions/schema";
import type { FieldIssue } from "@/lib/errors";
import { checkFields } from "@/lib/json/fields";
import { readStoredMembers } from "@/lib/json/json";
import { isObject } from "@/lib/json/raw-json";

const MAX_BYTES = 262_144;

/** Why definitions would be refused, by the schema that the service uses too; valid JSON is wanted. */
export function issuesIn(text: string): FieldIssue[] {
  const members = readStoredMembers(text);
  if (!isObject(members)) return [{ path: [], message: "must be a JSON object" }];
  return checkFields(members, definitions).issues ?? [];
}

/** Issues by the name that they are about; undefined for all of a member. */
export function issuesByName(issues: readonly FieldIssue[]): Map<FieldIssue["path"][number] | undefined, FieldIssue[]> {
  const byName = new Map<FieldIssue["path"][number] | undefined, FieldIssue[]>();
  for (const issue of issues) byName.set(issue.path[1], [...(byName.get(issue.path[1]) ?? []), issue]);
  return byName;
}

/** All problems with a text, each at its place. */
export function problemsIn(text: string): JsonProblem[] {
  const problems = findProblems(text, { required: true, maxBytes: MAX_BYTES });
  return problems.length > 0 ? problems : placed(text, issuesIn(text));
}

/** Problems at their places in a text. */
export function placed(text: string, issues: readonly FieldIssue[]): JsonProblem[] {
  const root = parseTree(text);
  return issues.map(({ path, message }) => {
    const node = root && nearest(root, path);
    const named = [path.join("."), message].filter(Boolean).join(" ");
    return { message: named, ...(node && { place: placeOf(text, node.offset, node.length) }) };
  });
}

/** The node of a path, or the one that would have it. */
function nearest(root: Node, path: FieldIssue["path"]): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length) as (string | number)[]);
    if (node) return node;
  }
  return root;
}
