import type { HistoryRow } from "@/lib/audit/entries";
import type { HistoryExport, HistorySelection } from "@/lib/audit/schema";
import { serializeEntry } from "@/lib/audit/serialize";
import { type HistoryReader, readHistory } from "@/lib/audit/service";
import { type Author, authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { statement, write } from "@/lib/db/pool";
import { writeCsv } from "@/lib/json/csv";
import { writeJson } from "@/lib/json/raw-json";

/**
 * The most entries per statement; their states also have a limit in bytes. Writing them takes 5 ms, during which other
 * requests wait.
 */
const MAX_ENTRIES = 100;

type Entry = ReturnType<typeof serializeEntry>;

/** The columns of a CSV file, and their cells; null for a blank one. */
const COLUMNS: Record<string, (entry: Entry) => string | number | boolean | null> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  action: ({ action }) => action,
  actor_type: ({ actor }) => actor.type,
  actor_id: ({ actor }) => actor.id,
  actor_name: ({ actor }) => actor.name,
  request_id: ({ request_id }) => request_id,
  environment: ({ environment }) => environment,
  team_id: ({ team_id }) => team_id,
  user_group_id: ({ user_group }) => user_group?.provided_id ?? null,
  name: ({ user_group }) => user_group?.name ?? null,
  token_changed: ({ token_changed }) => token_changed,
  before: ({ before }) => before && writeJson(before),
  after: ({ after }) => after && writeJson(after),
};

/** How each format writes its head and its rows. */
const WRITERS: Record<HistoryExport["format"], { head: string; write(rows: HistoryRow[]): string }> = {
  csv: {
    // As in the export of groups: without a BOM, spreadsheets misread UTF-8.
    head: `\uFEFF${writeCsv([Object.keys(COLUMNS)])}`,
    write: (rows) => writeCsv(rows.map(cellsOf)),
  },
  jsonl: { head: "", write: (rows) => rows.map((row) => `${writeJson(serializeEntry(row))}\n`).join("") },
};

function cellsOf(row: HistoryRow): string[] {
  const entry = serializeEntry(row);
  return Object.values(COLUMNS).map((cellOf) => String(cellOf(entry) ?? ""));
}

/**
 * Exports the matching entries, newest first, as pieces of a file, and records the export. No statement spans two
 * pieces: a reader can be arbitrarily slow, and months can be dropped while it reads.
 * @throws {AppError} `forbidden` when a program asks for all environments
 */
export async function exportHistory(
  reader: HistoryReader,
  { format, ...selection }: HistoryExport,
  author: Author,
): Promise<AsyncGenerator<string>> {
  // Read before recording: a refused export is not recorded.
  const first = await readHistory(reader, selection, { below: undefined, limit: MAX_ENTRIES });
  await recordExport(reader.environmentId, "history.exported", { format, ...selection }, author);
  return pieces(reader, selection, WRITERS[format], first);
}

async function* pieces(
  reader: HistoryReader,
  selection: HistorySelection,
  { head, write }: (typeof WRITERS)["csv"],
  first: Awaited<ReturnType<typeof readHistory>>,
): AsyncGenerator<string> {
  let part = first;
  yield head + write(part.rows);
  while (part.next !== undefined) {
    part = await readHistory(reader, selection, { below: part.next, limit: MAX_ENTRIES });
    yield write(part.rows);
  }
}

const RECORD_EXPORT = statement("record_export")`
  WITH asked AS (SELECT $1::int AS environment_id), ${checking(`asked CROSS JOIN ${authorFrom(4)}`, "groups:read")},
  ${recording({
    columns: "environment_id, action, after",
    values: "environment_id, $2, $3",
    rows: `asked CROSS JOIN ${authorFrom(4)}`,
  })}
  SELECT FROM checked`;

/** Parameters whose values the history stores: other values may have a group's content, which no erasure would find. */
const KEPT = "format scope member api_token team_id action from to state used updated_since".split(" ");

/** An export's query as the history stores it. */
function asRecorded(query: object): object {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "" && value?.length !== 0);
  const narrowed_by = given.map(([name]) => name).filter((name) => !KEPT.includes(name));
  const kept = Object.fromEntries(given.filter(([name]) => KEPT.includes(name)));
  return narrowed_by.length > 0 ? { ...kept, narrowed_by } : kept;
}

/**
 * Records an export before it begins.
 * @throws {AppError} `unauthorized` or `forbidden` when the author has lost the authority
 */
export async function recordExport(
  environmentId: number,
  action: "user_groups.exported" | "history.exported",
  query: object,
  author: Author,
) {
  await write(RECORD_EXPORT, [environmentId, action, JSON.stringify(asRecorded(query)), ...authorValues(author)]);
}
