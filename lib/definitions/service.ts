import { authorOf, type EnvironmentAuthor } from "@/lib/auth/caller";
import { authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { perProcess, sharing } from "@/lib/config/per-process";
import { causeCode } from "@/lib/db/failures";
import { query, type Run, read, statement, transaction } from "@/lib/db/pool";
import { type Checker, compile, visibleByDefinition } from "@/lib/definitions/check";
import { type Definitions, definitions, NO_DEFINITIONS } from "@/lib/definitions/schema";
import { AppError, environmentDeleted, staleChange } from "@/lib/errors";
import { readStoredMembers } from "@/lib/json/json";
import { writeJson } from "@/lib/json/raw-json";

/** An environment's definitions, as last read. */
export interface KnownDefinitions extends Checker {
  /** 0 until definitions are first set */
  version: number;
  /** JSON text, with all members written out */
  text: string;
  document: Definitions;
  /** the names of all properties, of overridable ones, and of ones that viewer tokens contain */
  defined: ReadonlySet<string>;
  overridable: ReadonlySet<string>;
  visible: readonly string[];
}

const READ = statement("read_definitions")`
  SELECT e.viewer_version, coalesce(d.version, 0) AS version, coalesce(d.document, $2) AS document
  FROM environment e LEFT JOIN definitions d ON d.environment_id = e.id WHERE e.id = $1`;
/** The text of empty definitions. */
export const NONE = writeJson(NO_DEFINITIONS);

interface Kept {
  known: KnownDefinitions;
  /** the environment's, which changes with the definitions */
  viewerVersion: number;
  /** by performance.now() */
  at: number;
}

const kept = perProcess("definitions", () => new Map<number, Kept>());
const shareDefinitions = sharing("reads of definitions", readDefinitions);

/** How old cached definitions may be without a sign of a change, in milliseconds. */
const RECENT_MS = 5_000;
/** The most attempts at a change while the definitions change at the same time. */
const ATTEMPTS = 3;

/**
 * Reads an environment's definitions.
 * @throws {AppError} `not_found` when the environment was just deleted
 */
export async function readDefinitions(environmentId: number): Promise<KnownDefinitions> {
  const at = performance.now();
  const [row] = await read<{ viewer_version: number; version: number; document: string }>(READ, [environmentId, NONE]);
  if (!row) throw environmentDeleted();
  const { viewer_version: viewerVersion, version, document: text } = row;
  const before = kept.get(environmentId)?.known;
  // Compares the text too: a failover may have lost a version, and its number may be in use again.
  const known = before?.version === version && before.text === text ? before : knownBy(version, text);
  kept.set(environmentId, { known, viewerVersion, at });
  return known;
}

function knownBy(version: number, text: string): KnownDefinitions {
  const document = definitions.parse(readStoredMembers(text));
  const isOff = document.enforcement === "off";
  const defined = isOff ? [] : Object.entries(document.properties);
  return {
    version,
    text,
    document,
    defined: new Set(defined.map(([name]) => name)),
    overridable: new Set(defined.filter(([, { overridable }]) => overridable).map(([name]) => name)),
    visible: visibleByDefinition(document),
    ...compile(document),
  };
}

/**
 * An environment's definitions. A change on another instance shows within 5 s, or as soon as the caller passes the new
 * `viewerVersion`.
 */
export function recentDefinitions(
  environmentId: number,
  viewerVersion?: number,
): KnownDefinitions | Promise<KnownDefinitions> {
  const found = kept.get(environmentId);
  // Not shared: a read under way may predate that version.
  if (viewerVersion !== undefined && viewerVersion !== found?.viewerVersion) return readDefinitions(environmentId);
  if (found && performance.now() - found.at < RECENT_MS) return found.known;
  return shareDefinitions(environmentId);
}

/**
 * Makes a change that is checked against the definitions that this process knows. If they are outdated, the change's
 * statement fails (`require_definitions`), or it was refused, and it is repeated with the current ones.
 */
export async function withDefinitions<T>(
  environmentId: number,
  change: (definitions: KnownDefinitions) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const known = kept.get(environmentId)?.known ?? (await readDefinitions(environmentId));
    try {
      return await change(known);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === "invalid_fields";
      if (!(isRefused || causeCode(error) === "UGD01") || attempt === ATTEMPTS) throw error;
      if ((await readDefinitions(environmentId)) === known) throw error;
    }
  }
}

// Writes that were checked against the definitions hold the same lock, shared, until they commit.
const LOCK = statement("lock_definitions")`SELECT FROM pg_advisory_xact_lock(hashtext('definitions'), $1::int)`;

const SET = statement("set_definitions")`
  WITH was AS (
    SELECT e.id AS environment_id, coalesce(d.version, 0) AS version, coalesce(d.document, $9) AS document
    FROM environment e LEFT JOIN definitions d ON d.environment_id = e.id WHERE e.id = $1 FOR NO KEY UPDATE OF e
  ), ${checking(`was CROSS JOIN ${authorFrom(4)}`, "definitions:write")}, changed AS (
    INSERT INTO definitions AS d (environment_id, version, document)
    SELECT environment_id, version + 1, $2 FROM was
    WHERE document <> $2 AND ($3::text[] IS NULL OR 'd-' || version = ANY ($3))
    ON CONFLICT (environment_id) DO UPDATE SET version = d.version + 1, document = excluded.document,
      updated_at = now()
    RETURNING d.environment_id, d.version, d.document
  ), material AS (
    UPDATE environment e SET viewer_version = viewer_version + 1 FROM changed WHERE e.id = changed.environment_id
  ), ${recording({
    columns: "environment_id, action, before, after",
    values: "changed.environment_id, 'environment.definitions_changed', was.document, changed.document",
    rows: `changed JOIN was USING (environment_id) CROSS JOIN ${authorFrom(4)}`,
  })}
  SELECT $3::text[] IS NULL OR 'd-' || was.version = ANY ($3) AS accepted FROM was CROSS JOIN checked`;

interface Change {
  caller: EnvironmentAuthor;
  input: Definitions;
  /** entity tags, one of which the definitions must have; undefined for any */
  tags: string[] | undefined;
}

/**
 * Replaces an environment's definitions, and records a change. Uncommitted changes of groups that were checked against
 * the old ones are checked again; existing groups stay as they are.
 * @throws {AppError} `stale` when the definitions no longer have one of the tags
 */
export async function changeDefinitions(change: Change): Promise<KnownDefinitions> {
  const { id } = change.caller.environment;
  await transaction(async (client) => {
    const run: Run = (statement, values) => query(client, statement, values);
    await lockDefinitions(run, id);
    await setDefinitions(run, change);
  });
  return readDefinitions(id);
}

/**
 * Waits for changes that were checked against the definitions. Call it before any lock on the environment.
 */
export async function lockDefinitions(run: Run, environmentId: number) {
  await run(LOCK, [environmentId]);
}

/**
 * As {@link changeDefinitions}, in a transaction that has locked the definitions. Call {@link readDefinitions} after
 * the commit.
 */
export async function setDefinitions(run: Run, { caller, input, tags }: Change) {
  const values = [caller.environment.id, writeJson(input), tags, ...authorValues(authorOf(caller)), NONE];
  const [set] = await run<{ accepted: boolean }>(SET, values);
  if (!set) throw environmentDeleted();
  const changed =
    "The definitions have changed since you read them. Read them again, and send the change with the new ETag.";
  if (!set.accepted) throw staleChange(tags, { example: '"d-2"', changed });
}
