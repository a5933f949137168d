import type { DescribedOperation } from "@/lib/openapi/for-generators";

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
export const SECTIONS = ["User groups", "Imports", "Viewers"];
/** The parts of the first one, whose calls are too many for one list. */
const PARTS: Record<string, string[]> = {
  "Create and change": [
    ...["getOrCreateUserGroupByQuery", "updateUserGroup", "mergeUserGroup", "upsertUserGroup"],
    "getOrCreateUserGroup",
  ],
  Tokens: ["rotateUserGroupToken", "getUserGroupToken", "replaceUserGroupToken", "findUserGroupByToken"],
  "Lists and history": [
    ...["listUserGroups", "summarizeUserGroups", "exportUserGroups", "getUsage"],
    ...["listUserGroupHistory", "countUserGroupHistory"],
  ],
  "Suspend and delete": [
    ...["suspendUserGroup", "resumeUserGroup", "deleteUserGroup"],
    ...["listDeletedUserGroups", "restoreUserGroup", "purgeUserGroup"],
  ],
  "Many at once": ["batchUserGroups"],
};
const METHODS = ["get", "put", "patch", "post", "delete"] as const;
const REST: Heading[] = [
  { id: "query", title: "Get or create by query", section: "Reference" },
  { id: "errors", title: "Errors", section: "Reference" },
  { id: "limits", title: "Limits", section: "Reference" },
  { id: "health", title: "Health", section: "Reference" },
];

type Paths = Record<string, Partial<Record<(typeof METHODS)[number], DescribedOperation>>>;

/** The headings of the reference, in its order. */
export function headingsOf({ paths = {} }: { paths?: object | undefined }): Heading[] {
  const calls = Object.entries(paths as Paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ operation, call: `${method.toUpperCase()} ${path}` }] : [];
    }),
  );
  const ofSection = (section: string) =>
    calls
      .filter(({ operation }) => operation.tags?.includes(section))
      .map(({ operation: { operationId = "", summary = "" }, call }) => ({
        ...{ id: operationId, title: summary, section, call },
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
