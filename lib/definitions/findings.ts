import { backgroundPool, read, statement, write } from "@/lib/db/pool";
import type { FindingKey, FindingsAnswer } from "@/lib/definitions/findings-schema";

// Stores the findings of an environment's last check, as one JSON text, and when the next check is due.

/** A finding, counted. */
export interface CountedFinding extends FindingKey {
  count: number;
  /** the name that this one resembles */
  like: string | null;
}

/** The result of a check of all groups. */
export interface Findings extends Pick<FindingsAnswer, "groups" | "days"> {
  findings: CountedFinding[];
}

/**
 * How long findings stay fresh: at most an hour, and otherwise by the number of groups, each of which takes some
 * microseconds to check.
 */
const AGE = "interval '1 hour'";
const ageOf = (groups: string) => `greatest(interval '1 minute', ${groups} * interval '100 milliseconds')`;
/** How long a check may take before another process starts it over. */
const PATIENCE = "interval '5 minutes'";

const VERSION = "coalesce((SELECT d.version FROM definitions d WHERE d.environment_id = f.environment_id), 0)";
/** A time further ahead than `most` was stored before the clock was set back. */
const isAhead = (time: string, most: string) => `(${time} BETWEEN now() AND now() + ${most})`;
const IS_FRESH = `(${isAhead("f.next_at", AGE)} AND f.definitions_version = ${VERSION}) IS TRUE`;
const IS_DUE = `CASE WHEN f.claimed_until IS NULL THEN NOT (${IS_FRESH})
  ELSE NOT ${isAhead("f.claimed_until", PATIENCE)} END`;

/** SQL: whether the groups of any environment are due for a check. */
export const ANY_FINDINGS_DUE = `EXISTS (
  SELECT FROM environment e LEFT JOIN findings f ON f.environment_id = e.id
  WHERE f.environment_id IS NULL OR ${IS_DUE})`;

const ADD = statement("add_findings")`
  INSERT INTO findings (environment_id) SELECT id FROM environment ON CONFLICT DO NOTHING`;
// A request for another check while this one runs sets next_at again.
const CLAIM = statement("claim_findings")`
  UPDATE findings SET claimed_until = now() + ${PATIENCE}, next_at = now() + ${AGE}
  WHERE environment_id = (
    SELECT environment_id FROM findings f WHERE ${IS_DUE} ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED
  ) RETURNING environment_id, result`;
const STORE = statement("store_findings")`
  UPDATE findings SET claimed_until = NULL, definitions_version = $2, checked_at = $3, result = $4,
    next_at = least(next_at, now() + ${ageOf("$5::int")})
  WHERE environment_id = $1`;
const RELEASE = statement("release_findings")`
  UPDATE findings SET claimed_until = now() + interval '5 seconds' WHERE environment_id = $1`;

/** Claims an environment that is due for a check, with its last findings; undefined if none is due. */
export async function claimFindings(): Promise<{ environmentId: number; before: Findings | undefined } | undefined> {
  await write(ADD, [], backgroundPool);
  const [row] = await write<{ environment_id: number; result: string | null }>(CLAIM, [], backgroundPool);
  return row && { environmentId: row.environment_id, before: row.result === null ? undefined : JSON.parse(row.result) };
}

/** Stores the findings of a check that began at `checkedAt`. */
export async function storeFindings(
  environmentId: number,
  { version, checkedAt, ...result }: Findings & { version: number; checkedAt: Date },
) {
  await write(STORE, [environmentId, version, checkedAt, JSON.stringify(result), result.groups], backgroundPool);
}

/** Lets another process check the groups in a few seconds. */
export async function releaseFindings(environmentId: number) {
  await write(RELEASE, [environmentId], backgroundPool);
}

const REQUEST = statement("request_findings")`UPDATE findings SET next_at = now() WHERE environment_id = $1`;

/** Has all groups of an environment checked soon. */
export async function requestFindings(environmentId: number) {
  await write(REQUEST, [environmentId]);
}

/** The findings of the last check, and the definitions they are based on. */
export interface StoredFindings extends Findings {
  checked_at: Date | null;
  definitions_version: number;
  is_current: boolean;
}

const READ = statement("read_findings")`
  SELECT f.result, f.checked_at, coalesce(f.definitions_version, 0) AS definitions_version,
    f.claimed_until IS NULL AND ${IS_FRESH} AS is_current
  FROM findings f WHERE f.environment_id = $1`;

/** Reads an environment's findings. */
export async function readFindings(environmentId: number): Promise<StoredFindings> {
  const [row] = await read<Omit<StoredFindings, keyof Findings> & { result: string | null }>(READ, [environmentId]);
  const { result = null, ...state } = row ?? { checked_at: null, definitions_version: 0, is_current: false };
  const found: Findings = result === null ? { groups: 0, days: [], findings: [] } : JSON.parse(result);
  return { ...state, ...found };
}
