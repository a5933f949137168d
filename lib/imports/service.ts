import type { PoolClient } from "pg";
import { authorOf, type Caller, requireScope } from "@/lib/auth/caller";
import {
  AUTHOR_COLUMNS,
  type Author,
  authorFrom,
  authorValues,
  checking,
  recording,
  requireScopeOn,
} from "@/lib/db/authority";
import { queryOf, read, type Statement, transaction, write } from "@/lib/db/pool";
import { purge } from "@/lib/db/purge";
import type { ScopeCondition } from "@/lib/db/scopes";
import { AppError, invalidFields } from "@/lib/errors";
import { refuseDeletions } from "@/lib/imports/deletions";
import {
  type ImportMode,
  type ImportOutcome,
  type ImportRowsQuery,
  type ImportState,
  KEPT_DAYS,
  LONGEST_NAME,
  type NewImport,
  PIECE_BYTES,
  USUAL_DELETIONS,
} from "@/lib/imports/schema";

/** A stored import; the counts are of rows. */
export interface ImportRecord {
  id: number;
  environment_id: number;
  file_name: string;
  bytes: number;
  mode: ImportMode;
  /** of a sync: a number, or a percentage */
  max_deletions: string | null;
  state: ImportState;
  problem: string | null;
  actor_type: Author["actorType"];
  actor_id: string | null;
  actor_name: string;
  request_id: string | null;
  pieces_read: number;
  creates: number;
  changes: number;
  same: number;
  errors: number;
  created: number;
  changed: number;
  skipped: number;
  /** groups of the environment that a sync compared with the rows */
  existing: number;
  deletes: number;
  deleted: number;
  /** rows without a valid id */
  unnamed: number;
  /** the import that it undoes */
  undoes: number | null;
  /** the fix of a finding, as JSON text */
  fix: string | null;
  /** without a file: the rows to expect */
  expected: number | null;
  created_at: Date;
  ended_at: Date | null;
}

/** A stored row of an import. */
export interface ImportRowRecord {
  line: number;
  outcome: ImportOutcome;
  provided_id: string | null;
  name: string | null;
  mapping: string | null;
  /** JSON text: `null` clears them, null leaves them unchanged */
  properties: string | null;
  team_id: number | null;
  version: number | null;
  /** JSON text of the group before */
  before: string | null;
  /** JSON text: its errors, why it was skipped, or what the definitions report */
  issues: string | null;
}

/** The most open imports of an environment. */
const MOST_OPEN = 10;
const LISTED = 20;
/** The most bytes of texts on a page of rows. */
const MOST_PAGE_BYTES = 4_194_304;
/** Days after which an abandoned import is cancelled. */
const PATIENCE_DAYS = 2;
/** Pieces to delete at a time: each has up to a quarter of a megabyte. */
const PIECES_PURGED = 200;
const OPEN = "state IN ('uploading', 'checking', 'checked', 'applying')";

/** Imports of an environment begin one after the other, so that each counts those before it. */
const LOCK_ENVIRONMENT: Statement = {
  name: "lock_environment_of_imports",
  text: "SELECT FROM environment WHERE id = $1 FOR NO KEY UPDATE",
};

const CREATE: Statement = {
  name: "create_import",
  text: `
    WITH created AS (
      INSERT INTO import (environment_id, file_name, bytes, ${AUTHOR_COLUMNS}, leased_by, leased_until, mode, max_deletions, state, undoes, fix, expected)
      SELECT $1, $2, $3, ${AUTHOR_COLUMNS}, $9::uuid, CASE WHEN $9 IS NOT NULL THEN now() + interval '1 minute' END,
        $10, $11, CASE WHEN $3::int = 0 THEN 'checking' ELSE 'uploading' END::import_state, $12, $13, $14
      FROM ${authorFrom(4)} WHERE (SELECT count(*) FROM import WHERE environment_id = $1 AND ${OPEN}) < ${MOST_OPEN}
      RETURNING *
    ), ${checking(`(SELECT environment_id FROM created) AS place CROSS JOIN ${authorFrom(4)}`, "groups:write")}
    SELECT created.* FROM created, checked`,
};

const FIND: Statement = {
  name: "find_import",
  text: "SELECT * FROM import WHERE environment_id = $1 AND id = $2",
};

const LOCK_CHECKED: Statement = {
  name: "lock_checked_import",
  text: `${FIND.text} AND state = 'checked' FOR UPDATE`,
};

const ABANDON: Statement = {
  name: "abandon_imports",
  text: `
    UPDATE import SET state = 'cancelled', updated_at = now(), ended_at = now()
    WHERE state IN ('uploading', 'checked') AND updated_at < now() - interval '${PATIENCE_DAYS} days'`,
};

const LIST: Statement = {
  name: "list_imports",
  text: `SELECT * FROM import WHERE environment_id = $1 ORDER BY id DESC LIMIT ${LISTED}`,
};

/** Of a row's texts: an answer can have those of the group before twice. */
const ROW_BYTES = ["name", "mapping", "properties", "before", "before", "issues"]
  .map((column) => `coalesce(octet_length(${column}), 0)`)
  .join(" + ");
const LIST_ROWS: Statement = {
  name: "list_import_rows",
  text: `
    SELECT * FROM (
      SELECT page.*, sum(${ROW_BYTES}) OVER (ORDER BY line) AS bytes, row_number() OVER (ORDER BY line) AS n, (count(*) OVER ())::int AS found
      FROM (
        SELECT r.* FROM import_row r JOIN import i ON i.id = r.import_id
        WHERE i.environment_id = $1 AND i.id = $2 AND r.line > $3 AND ($4::import_outcome IS NULL OR r.outcome = $4)
        ORDER BY r.line LIMIT $5
      ) AS page
    ) AS sized WHERE bytes <= ${MOST_PAGE_BYTES} OR n = 1 ORDER BY line`,
};

const APPLY: Statement = {
  name: "apply_import",
  text: `
    WITH begun AS (
      UPDATE import SET state = 'applying', updated_at = now(), (${AUTHOR_COLUMNS}) = (SELECT ${AUTHOR_COLUMNS} FROM ${authorFrom(3)})
      WHERE environment_id = $1 AND id = $2 AND state = 'checked' RETURNING *
    ), ${checking(`(SELECT environment_id FROM begun) AS place CROSS JOIN ${authorFrom(3)}`, "groups:write")}, ${recording(
      {
        columns: "environment_id, action, after",
        values: `environment_id, 'user_groups.imported', CASE mode
          WHEN 'sync' THEN json_build_object('file', file_name, 'creates', creates, 'changes', changes, 'deletes', deletes)
          ELSE json_build_object('file', file_name, 'creates', creates, 'changes', changes) END`,
        rows: "begun",
      },
    )}
    SELECT begun.* FROM begun, checked`,
};

/** A dry run is not recorded, and neither is its cancellation. */
const CANCEL = `
    WITH was AS (
      SELECT id, environment_id, state FROM import WHERE environment_id = $1 AND id = $2 AND ${OPEN} FOR UPDATE
    ), ${checking(`was CROSS JOIN ${authorFrom(3)}`, "groups:write")}, cancelled AS (
      UPDATE import SET state = 'cancelled', updated_at = now(), ended_at = now() FROM was WHERE import.id = was.id
      RETURNING import.*, was.state = 'applying' AS was_applying
    ), ${recording({
      columns: "environment_id, action, after",
      values: `environment_id, 'user_groups.import_cancelled', CASE mode
        WHEN 'sync' THEN json_build_object('file', file_name, 'created', created, 'changed', changed, 'deleted', deleted)
        ELSE json_build_object('file', file_name, 'created', created, 'changed', changed) END`,
      rows: `(SELECT environment_id, file_name, mode, created, changed, deleted FROM cancelled WHERE was_applying) AS stopped CROSS JOIN ${authorFrom(3)}`,
    })}
    SELECT cancelled.* FROM cancelled, checked`;

/** What the rows of an import without a file come from, and how many to expect. */
interface Origin {
  undoes?: number;
  fix?: string;
  expected: number;
}

/** What history and lists call an import without a file, as long as a file's name may be. */
export function nameOf(words: string): string {
  return [...words].slice(0, LONGEST_NAME).join("");
}

/**
 * Creates an import, before its file, if it has one; if `worker` is given, no other works on it for the first minute.
 * @throws {AppError} `conflict` when the environment has too many open ones
 */
export async function createImport(
  environmentId: number,
  { file_name, bytes, mode, max_deletions = USUAL_DELETIONS }: NewImport,
  { author, worker = null, origin }: { author: Author; worker?: string | null; origin?: Origin },
): Promise<ImportRecord> {
  const most = mode === "sync" ? String(max_deletions) : null;
  const { undoes = null, fix = null, expected = null } = origin ?? {};
  const values = [
    ...[environmentId, file_name, bytes, ...authorValues(author), worker, mode, most],
    ...[undoes, fix, expected],
  ];
  const created = await transaction(async (client) => {
    await client.query(queryOf(LOCK_ENVIRONMENT, [environmentId]));
    return (await client.query<ImportRecord>(queryOf(CREATE, values))).rows[0];
  });
  if (created) return created;
  throw new AppError("conflict", `${MOST_OPEN} imports are open in this environment. Apply or cancel one first.`);
}

/** What imports need that sync, and those that create groups. */
export const SYNC: ScopeCondition = { scope: "groups:delete", when: "in the mode sync" };
export const IMPORTED_CREATION: ScopeCondition = { scope: "groups:create", when: "to create groups" };

/**
 * Creates an import for a caller of the API.
 * @throws {AppError} `forbidden` for a sync without groups:delete, or as {@link createImport} does
 */
export async function beginImport(caller: Caller, input: NewImport): Promise<ImportRecord> {
  if (input.mode === "sync") requireScope(caller, SYNC.scope);
  return createImport(caller.environment.id, input, { author: authorOf(caller) });
}

/**
 * Applies an import for a caller of the API.
 * @throws {AppError} `forbidden` without the scopes for what it would do, or as {@link applyImport} does
 */
export async function applyImportAs(caller: Caller, id: number): Promise<ImportRecord> {
  const permit = ({ creates }: ImportRecord) => {
    if (creates > 0) requireScope(caller, IMPORTED_CREATION.scope);
  };
  const found = await findImport(caller.environment.id, id);
  if (found.mode === "sync") requireScope(caller, SYNC.scope);
  // At the door too, so that who may not apply it learns nothing of its state.
  permit(found);
  return applyImport(caller.environment.id, id, authorOf(caller), permit);
}

/** The states in which a piece is expected, or was stored and is sent again because its answer was lost. */
const TAKES_PIECES: readonly ImportState[] = ["uploading", "checking", "checked"];

/**
 * Stores a piece of the file, however often it is sent; the last missing piece starts the check.
 * @throws {AppError} `invalid_fields` for a piece of another size, `conflict` when the file is no longer expected
 */
export async function addPiece(
  environmentId: number,
  { id, n, content }: { id: number; n: number; content: Buffer },
  author: Author,
) {
  return transaction(async (client) => {
    const { rows } = await client.query<ImportRecord>(`${FIND.text} FOR UPDATE`, [environmentId, id]);
    const found = rows[0] ?? noSuchImport();
    const { bytes, state } = found;
    await requireScopeOn(client, author, environmentId, "groups:write");
    if (!TAKES_PIECES.includes(state)) throw conflict("its file is no longer expected");
    const size = Math.min(PIECE_BYTES, bytes - n * PIECE_BYTES);
    if (size <= 0 || content.length !== size) {
      const message = size > 0 ? `must have ${size} bytes, but has ${content.length}` : "is beyond the end of the file";
      throw invalidFields([{ path: ["content"], message }]);
    }
    if (state !== "uploading") return found;
    await client.query("INSERT INTO import_piece (import_id, n, bytes) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
      ...[id, n, content],
    ]);
    const { rows: changed } = await client.query<ImportRecord>(
      `UPDATE import SET updated_at = now(),
         state = CASE WHEN (SELECT count(*) FROM import_piece WHERE import_id = $1) < $2 THEN state ELSE 'checking' END
       WHERE id = $1 RETURNING *`,
      [id, Math.ceil(bytes / PIECE_BYTES)],
    );
    return changed[0] ?? noSuchImport();
  });
}

/**
 * An import of the environment.
 * @throws {AppError} `not_found`
 */
export async function findImport(environmentId: number, id: number): Promise<ImportRecord> {
  const [found] = await read<ImportRecord>(FIND, [environmentId, id]);
  return found ?? noSuchImport();
}

/** The newest imports of an environment. */
export async function listImports(environmentId: number): Promise<ImportRecord[]> {
  return read<ImportRecord>(LIST, [environmentId]);
}

/**
 * Rows of an import in file order, and the line after which there are more. A page ends early at 4 MiB of texts.
 * @throws {AppError} `not_found`
 */
export async function listImportRows(environmentId: number, { id, outcome, after, limit }: ImportRowsQuery) {
  await findImport(environmentId, id);
  const values = [environmentId, id, after, outcome ?? null, limit + 1];
  const rows = await read<ImportRowRecord & { found: number }>(LIST_ROWS, values);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return { rows: shown, next: last && last.found > shown.length ? last.line : null };
}

/**
 * Applies a checked import; the caller is the author of every change. What it would do is judged on the locked row, by `permit` too:
 * it is known only once the check is complete, which may be at any moment.
 * @throws {AppError} `not_found`, `too_many_deletions`, or `conflict` when it is not checked, or was already applied
 */
export async function applyImport(
  environmentId: number,
  id: number,
  author: Author,
  permit?: (job: ImportRecord) => void,
): Promise<ImportRecord> {
  const begun = await transaction(async (client) => {
    const { rows } = await client.query<ImportRecord>(queryOf(LOCK_CHECKED, [environmentId, id]));
    if (!rows[0]) return undefined;
    permit?.(rows[0]);
    refuseDeletions(rows[0]);
    const applied = await client.query<ImportRecord>(queryOf(APPLY, [environmentId, id, ...authorValues(author)]));
    return applied.rows[0];
  });
  if (begun) return begun;
  const { state } = await findImport(environmentId, id);
  throw conflict(
    state === "checked" ? "its check has only just ended" : `it is ${state}, and only a checked import can be applied`,
  );
}

/**
 * Cancels an import and deletes its file. Applied rows stay applied; no further ones are.
 * @throws {AppError} `not_found`, or `conflict` when it has ended
 */
export async function cancelImport(environmentId: number, id: number, author: Author): Promise<ImportRecord> {
  const cancelled = await transaction(async (client) => {
    const { rows } = await client.query<ImportRecord>(CANCEL, [environmentId, id, ...authorValues(author)]);
    if (rows[0]) await deletePieces(client, id);
    return rows[0];
  });
  if (cancelled) return cancelled;
  const { state } = await findImport(environmentId, id);
  throw conflict(`it is already ${state}`);
}

/** Deletes the file of an import that no longer needs it. */
export async function deletePieces(client: PoolClient, id: number) {
  await client.query("DELETE FROM import_piece WHERE import_id = $1", [id]);
}

/** Deletes imports that ended some days ago, in batches; cancels abandoned ones first. */
export async function purgeImports() {
  await write(ABANDON, []);
  const old = `
    SELECT id FROM import WHERE ended_at < now() - interval '${KEPT_DAYS} days'
      OR NOT EXISTS (SELECT FROM environment e WHERE e.id = import.environment_id)`;
  await purge({ table: "import_row", where: `import_id IN (${old})` });
  await purge({
    table: "import_piece",
    where: `import_id IN (${old} OR ended_at IS NOT NULL)`,
    batch: PIECES_PURGED,
  });
  await purge({ table: "import", where: `id IN (${old})` });
}

function noSuchImport(): never {
  throw new AppError("not_found", "No such import in this environment. It may have been deleted.");
}

function conflict(why: string): AppError {
  return new AppError("conflict", `The import is unchanged: ${why}.`);
}
