import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { write } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";

const RECORD_EXPORT = statement("record_export")`
  WITH asked AS (SELECT $1::int AS environment_id), ${checking(`asked CROSS JOIN ${authorFrom(4)}`, "groups:read")}, ${recording(
    {
      columns: "environment_id, action, after",
      values: "environment_id, $2, $3",
      rows: `asked CROSS JOIN ${authorFrom(4)}`,
    },
  )}
  SELECT FROM checked`;

interface Export {
  environmentId: number;
  action: "user_groups.exported" | "history.exported";
  /** what was asked for */
  query: object;
}

/** Parameters that the history has with their values. */
const KEPT: ReadonlySet<string> = new Set([
  ...["format", "scope", "member", "api_token", "team_id", "action", "from", "to"],
  ...["state", "used", "finding", "updated_since"],
]);

/**
 * An export as the history has it: of parameters that may hold a group's content, which an erasure would not find, the
 * names.
 */
function asRecorded(query: object): object {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "" && value?.length !== 0);
  const narrowed_by = given.map(([name]) => name).filter((name) => !KEPT.has(name));
  const kept = Object.fromEntries(given.filter(([name]) => KEPT.has(name)));
  return narrowed_by.length > 0 ? { ...kept, narrowed_by } : kept;
}

/**
 * Records an export before it begins.
 * @throws {AppError} `unauthorized` or `forbidden` when the author has lost the authority
 */
export async function recordExport({ environmentId, action, query }: Export, author: Author) {
  await write(RECORD_EXPORT, [environmentId, action, JSON.stringify(asRecorded(query)), ...authorValues(author)]);
}
