import { serializeJobRow } from "@/lib/jobs/serialize";
import { findJob, listJobRows } from "@/lib/jobs/stored";
import { writeCsv } from "@/lib/json/csv";

const AT_ONCE = 200;

/**
 * The failed and skipped rows of an import, as pieces of a CSV file: one line per error.
 * @throws {AppError} `not_found`
 */
export async function* reportFailures(environmentId: number, id: number): AsyncGenerator<string> {
  await findJob(environmentId, id);
  yield `\uFEFF${writeCsv([["line", "user_group_id", "outcome", "field", "message"]])}`;
  for (const outcome of ["error", "skipped"] as const) {
    for (let after: number | null = 0; after !== null; ) {
      const { rows, next } = await listJobRows(environmentId, { id, outcome, after, limit: AT_ONCE });
      const failures = rows
        .map(serializeJobRow)
        .flatMap(({ line, provided_id, issues }) =>
          issues.map(({ path, message }) => [String(line ?? ""), provided_id ?? "", outcome, path.join("."), message]),
        );
      yield writeCsv(failures);
      after = next;
    }
  }
}
