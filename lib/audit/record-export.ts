import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/db/authority";
import { type Statement, write } from "@/lib/db/pool";

const RECORD_EXPORT: Statement = {
  name: "record_export",
  text: `
    WITH asked AS (SELECT $1::int AS environment_id), ${checking(`asked CROSS JOIN ${authorFrom(4)}`, "groups:read")}, ${recording(
      {
        columns: "environment_id, action, after",
        values: "environment_id, $2, $3",
        rows: `asked CROSS JOIN ${authorFrom(4)}`,
      },
    )}
    SELECT FROM checked`,
};

interface Export {
  environmentId: number;
  action: "user_groups.exported" | "history.exported";
  /** what was asked for */
  query: object;
}

/**
 * Records an export before it begins.
 * @throws {AppError} `unauthorized` or `forbidden` when the author has lost the authority
 */
export async function recordExport({ environmentId, action, query }: Export, author: Author) {
  await write(RECORD_EXPORT, [environmentId, action, JSON.stringify(query), ...authorValues(author)]);
}
