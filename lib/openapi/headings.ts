import { callsIn } from "@/lib/openapi/calls";

/** A heading of the API reference. */
export interface Heading {
  /** its anchor */
  id: string;
  title: string;
  section: string;
  /** the call that it describes, as in "GET /api/user" */
  call?: string;
}

/** The tags with a heading for each call. */
export const SECTIONS = ["User groups", "Jobs", "Viewers"];
/** Parts of the first tag, which has too many calls for one list, with patterns of their operation ids. */
const PARTS: Record<string, RegExp> = {
  "Create and change": /^(getOrCreate|update|merge|upsert)UserGroup/,
  Tokens: /Token|Overlap/,
  "Lists and history": /^(list(?!Deleted)|summarize|export|count)/,
  Use: /^getUsage/,
  "Suspend and delete": /^(suspend|resume|delete|listDeleted|restore|purge)/,
  "Many at once": /^batch/,
};
const REST: Heading[] = [
  { id: "query", title: "Get or create by query", section: "Reference" },
  { id: "errors", title: "Errors", section: "Reference" },
  { id: "limits", title: "Limits", section: "Reference" },
  { id: "health", title: "Health", section: "Reference" },
];

/** The headings of the reference, in its order. */
export function headingsOf(api: { paths?: object | undefined }): Heading[] {
  const ofSection = (section: string) =>
    callsIn(api)
      .filter(({ operation }) => operation.tags?.includes(section))
      .map(({ method, path, operation: { operationId = "", summary = "" } }) => ({
        id: operationId,
        title: summary,
        section,
        call: `${method} ${path}`,
      }));
  const [first = "", ...others] = SECTIONS;
  const placed = Object.entries(PARTS).flatMap(([section, ids]) =>
    ofSection(first).flatMap((one) => (ids.test(one.id) ? [{ ...one, section }] : [])),
  );
  return [{ id: "start", title: "Start here", section: "Reference" }, ...placed, ...others.flatMap(ofSection), ...REST];
}
