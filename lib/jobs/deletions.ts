import { AppError } from "@/lib/errors";
import type { Lease } from "@/lib/jobs/lease";
import { MAX_ROWS } from "@/lib/jobs/schema";
import type { JobRecord } from "@/lib/jobs/stored";

/** Groups to compare with the file's rows per transaction; fewer where that takes too long. */
const SWEPT_AT_ONCE = 500;

/** Plans the deletion of the next groups that no row names by a current or former id, and stores how far it got. */
const SWEEP = `
  WITH at AS (
    SELECT swept, deletes, (SELECT coalesce(max(line), 0) FROM job_row WHERE job_id = $1) AS line FROM job WHERE id = $1
  ), next AS MATERIALIZED (
    SELECT provided_id, team_id, version, name, mapping, properties FROM user_group
    WHERE environment_id = $2 AND team_id > (SELECT swept FROM at) ORDER BY team_id LIMIT $3
  ), unnamed AS MATERIALIZED (
    SELECT next.*, row_number() OVER (ORDER BY team_id) AS n FROM next
    WHERE NOT EXISTS (SELECT FROM job_row r WHERE r.job_id = $1 AND r.provided_id = next.provided_id)
      AND NOT EXISTS (SELECT FROM reserved_id o JOIN job_row r ON r.job_id = $1 AND r.provided_id = o.provided_id
        WHERE o.team_id = next.team_id AND o.until > now())
  ), planned AS (
    INSERT INTO job_row (job_id, line, outcome, provided_id, team_id, version, before)
    SELECT $1, at.line + n, 'delete', provided_id, team_id, version,
      '{"name":' || to_json(name) || ',"mapping":' || mapping || ',"properties":' || coalesce(properties, 'null') || '}'
    FROM unnamed CROSS JOIN at WHERE at.deletes + n <= ${MAX_ROWS}
  )
  UPDATE job SET swept = coalesce((SELECT max(team_id) FROM next), swept),
    existing = existing + (SELECT count(*) FROM next), deletes = deletes + (SELECT count(*) FROM unnamed)
  WHERE id = $1 RETURNING (SELECT count(*)::int FROM next) AS seen`;

/**
 * Plans the deletion of each group of the environment that the file does not name, as rows after the file's; resumes
 * after the last known group. Only these groups are deleted later, and only in their current versions: a group that is
 * created or changed in between is kept.
 * @throws {LeaseLost}
 */
export async function planDeletions(lease: Lease) {
  const { id, environment_id } = lease.job;
  await lease.repeat(SWEPT_AT_ONCE, async (most) => {
    const values = [id, environment_id, most];
    const { rows } = await lease.change((client) => client.query<{ seen: number }>(SWEEP, values));
    return rows[0]?.seen === most;
  });
}

/**
 * Refuses a sync that would delete too much, or whose file has rows without a valid id.
 * @throws {AppError} `too_many_deletions` or `conflict`
 */
export function refuseDeletions(job: JobRecord) {
  const { mode, deletes, existing, unnamed, creates, changes, same, errors } = job;
  if (mode !== "sync") return;
  const isEmpty = creates + changes + same + errors === 0;
  const most = Math.min(mostDeletions(job), MAX_ROWS);
  if (deletes > most || (isEmpty && existing > 0)) {
    const count = `${deletes.toLocaleString("en")} of ${existing.toLocaleString("en")} user groups`;
    const limit = most.toLocaleString("en");
    const allowed =
      most < MAX_ROWS ? `max_deletions allows ${limit}: check the file, or raise it` : `a sync at most ${limit}`;
    const reason = isEmpty ? "its file is empty" : allowed;
    throw new AppError("too_many_deletions", `Nothing was changed: the import would delete ${count}, and ${reason}.`);
  }
  if (unnamed > 0) {
    throw new AppError(
      "conflict",
      `Nothing was changed: rows without a valid user_group_id: ${unnamed}. Correct them first, as a sync deletes ` +
        "what its file does not name.",
    );
  }
}

function mostDeletions({ max_deletions, existing }: JobRecord): number {
  const text = max_deletions ?? "0";
  return text.endsWith("%") ? Math.floor((existing * Number.parseFloat(text)) / 100 + 1e-9) : Number(text);
}
