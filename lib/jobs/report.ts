import type { JobOutcome, JobRow } from "@/lib/jobs/schema";
import { serializeJobRow } from "@/lib/jobs/serialize";
import { findJob, listJobRows } from "@/lib/jobs/stored";
import { writeCsv } from "@/lib/json/csv";

const AT_ONCE = 200;
const LONGEST_VALUE = 60;
const FIELDS = ["name", "mapping", "properties"] as const;

/** The rows of a job with this outcome, or all, in pages. */
export async function* pagesOfRows(environmentId: number, id: number, outcome?: JobOutcome): AsyncGenerator<JobRow[]> {
  for (let after: number | null = 0; after !== null; ) {
    const { rows, next } = await listJobRows(environmentId, { id, outcome, after, limit: AT_ONCE });
    yield rows.map(serializeJobRow);
    after = next;
  }
}

/**
 * The failed and skipped rows of an import, as pieces of a CSV file: one line per error.
 * @throws {AppError} `not_found`
 */
export async function* reportFailures(environmentId: number, id: number): AsyncGenerator<string> {
  await findJob(environmentId, id);
  yield `\uFEFF${writeCsv([["line", "user_group_id", "outcome", "field", "message"]])}`;
  for (const outcome of ["error", "skipped"] as const) {
    for await (const rows of pagesOfRows(environmentId, id, outcome)) {
      const failures = rows.flatMap(({ line, provided_id, issues }) =>
        issues.map(({ path, message }) => [String(line ?? ""), provided_id ?? "", outcome, path.join("."), message]),
      );
      yield writeCsv(failures);
    }
  }
}

/** A row in words, with a line end; empty for an unchanged row. */
export function describeRow({ line, outcome, provided_id, before, after, issues, warnings = [] }: JobRow): string {
  if (outcome === "same") return "";
  const details =
    issues.length > 0
      ? issues.map(({ path, message }) => [...path, message].join(" "))
      : FIELDS.filter((field) => before && after && before[field] !== after[field]).map(
          (field) => `${field} ${shorten(before?.[field])} → ${shorten(after?.[field])}`,
        );
  details.push(...warnings.map(({ path, message }) => `warning: ${[path.join("."), message].join(" ")}`));
  const what = provided_id === null ? outcome : `${outcome} ${JSON.stringify(provided_id)}`;
  const where = line === null ? "not in the file" : `line ${line}`;
  return `${[where, what, ...(details.length > 0 ? [details.join("; ")] : [])].join(": ")}\n`;
}

function shorten(text: string | null | undefined): string {
  const characters = [...(text ?? "null")];
  return characters.length <= LONGEST_VALUE ? characters.join("") : `${characters.slice(0, LONGEST_VALUE).join("")}…`;
}
