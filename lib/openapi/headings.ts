import { callsIn } from "@/lib/openapi/calls";

/** A heading of the API reference. */
export interface Heading {
  /** its anchor */
  id: string;
  title: string;
  section: string;
  /** the call that it is about, as in "GET /api/user" */
  call?: string;
}

/** The tags whose calls have a heading each. */
export const SECTIONS = ["User groups", "Jobs", "Viewers"];
/** The parts of the first one, whose calls are too many for one list. */
const PARTS: Record<string, string[]> = {
  "Create and change": [
    "getOrCreateUserGroupByQuery",
    "updateUserGroup",
    "mergeUserGroup",
    "upsertUserGroup",
    "getOrCreateUserGroup",
  ],
  Tokens: [
    "rotateUserGroupToken",
    "endUserGroupOverlap",
    "getUserGroupToken",
    "replaceUserGroupToken",
    "findUserGroupByToken",
  ],
  "Lists and history": [
    "listUserGroups",
    "summarizeUserGroups",
    "exportUserGroups",
    "getUsage",
    "listUserGroupHistory",
    "countUserGroupHistory",
    "exportUserGroupHistory",
  ],
  "Suspend and delete": [
    "suspendUserGroup",
    "resumeUserGroup",
    "deleteUserGroup",
    "listDeletedUserGroups",
    "restoreUserGroup",
    "purgeUserGroup",
  ],
  "Many at once": ["batchUserGroups"],
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
  const isPlaced = (id: string) => Object.values(PARTS).some((ids) => ids.includes(id));
  const all = SECTIONS.flatMap(ofSection);
  const placed = Object.entries(PARTS).flatMap(([section, ids]) =>
    ids.flatMap((id) => all.filter((one) => one.id === id).map((one) => ({ ...one, section }))),
  );
  return [
    { id: "start", title: "Start here", section: "Reference" },
    ...placed,
    ...all.filter(({ id }) => !isPlaced(id)),
    ...REST,
  ];
}
