import type { PoolClient } from "pg";
import { read, type Statement } from "@/lib/db/pool";
import type { FindingKey } from "@/lib/definitions/findings-schema";

// Findings are lists of groups' numbers, one list for each CHUNK numbers.

/** How many numbers a list is for, as a power of two. */
export const CHUNK_BITS = 12;
/** The most findings to answer. */
const MOST_FINDINGS = 500;

/** SQL that selects the numbers of the groups with a finding of environment $1; adds its values. A group may have been deleted since. */
export function selectFound(key: FindingKey, values: unknown[]): string {
  return `SELECT unnest(f.team_ids) AS team_id FROM group_finding f WHERE ${inLists(key, values)}`;
}

/** SQL condition of a finding's lists `f` of environment $1; adds its values. */
export function inLists({ kind, member, name }: FindingKey, values: unknown[]): string {
  const at = (value: string) => `$${values.push(value)}::text`;
  return `f.environment_id = $1 AND f.kind = ${at(kind)} AND f.member = ${at(member)} AND f.name = ${at(name)}`;
}

/** How many groups have a finding, as it was counted last. */
export async function countFound(client: PoolClient, environmentId: number, key: FindingKey): Promise<number> {
  const values: unknown[] = [environmentId];
  const text = `
    SELECT coalesce(sum(cardinality(f.team_ids)), 0)::int AS count FROM group_finding f WHERE ${inLists(key, values)}`;
  return (await client.query<{ count: number }>(text, values)).rows[0]?.count ?? 0;
}

/** A finding, counted. */
export interface CountedFinding extends FindingKey {
  /** the name that a near duplicate is taken for */
  resembles: string | null;
  count: number;
}

/** The findings of an environment, and how far they go. */
export interface StoredFindings {
  groups: number;
  checked_at: Date | null;
  definitions_version: number | null;
  is_current: boolean;
  findings: CountedFinding[];
}

const READ_STATE: Statement = {
  name: "read_finding_state",
  text: `
    SELECT s.groups, s.checked_at, s.definitions_version,
      coalesce(s.definitions_version, -1) = coalesce((SELECT d.version FROM definitions d WHERE d.environment_id = s.id), 0)
        AND NOT EXISTS (
          SELECT FROM audit_entry a
          WHERE a.environment_id = s.id AND (a.epoch, a.xid, a.id) > (s.epoch, s.xid, s.entry_id) AND a.team_id IS NOT NULL
        ) AS is_current
    FROM finding_state s WHERE s.id = $1`,
};
const COUNT: Statement = {
  name: "count_findings",
  text: `
    SELECT f.kind, f.member, f.name, max(f.resembles) AS resembles, sum(cardinality(f.team_ids))::int AS count
    FROM group_finding f WHERE f.environment_id = $1 GROUP BY f.kind, f.member, f.name
    ORDER BY count DESC, kind, member, name LIMIT ${MOST_FINDINGS}`,
};

/** Reads an environment's findings. */
export async function readFindings(environmentId: number): Promise<StoredFindings> {
  const [[state], findings] = await Promise.all([
    read<Omit<StoredFindings, "findings">>(READ_STATE, [environmentId]),
    read<CountedFinding>(COUNT, [environmentId]),
  ]);
  return { groups: 0, checked_at: null, definitions_version: null, is_current: false, ...state, findings };
}
