import type { PoolClient } from "pg";
import { SNAPSHOT_READS, transaction } from "@/lib/db/pool";
import { STATE_CONDITIONS } from "@/lib/groups/match";
import { IDLE_DAYS, type SummaryAnswer } from "@/lib/groups/summary-schema";

/** With more groups, counts are estimates: an index alone takes too long to count. */
const MAX_COUNTED = 100_000;
/** Suspended, ended and deleted groups are subtracted from the counts of uses one by one, up to this many. */
const MAX_TAKEN_OFF = 10_000;
/** The most groups to sample. If there are more, a few are read at each of these evenly spaced places. */
const SAMPLED = 1_000;
const PLACES = 250;
/** Limits for each group: bytes as stored, and properties to read. */
const MAX_BYTES = 4_096;
const MAX_MEMBERS = 50;
/** Limits of the answer. */
const MAX_NAMES = 50;
const MAX_NAME = 100;
const MAX_VALUES = 10;
const MAX_VALUE = 60;

const IDLE_SINCE = `now() - interval '${IDLE_DAYS} days'`;

/** Right after a large import, the planner does not know its rows, and would compare each with every sampled one. */
const BY_KEY = "LIMIT 1";

type Summary = Omit<SummaryAnswer, "success">;
type States = Summary["states"];

/** Counts an environment's groups by state, and reads the properties of a sample. */
export function summarizeGroups(environmentId: number): Promise<Summary> {
  return transaction(async (client) => {
    const counts = (await countExactly(client, environmentId)) ?? (await estimate(client, environmentId));
    const properties = await readProperties(client, environmentId, counts.total);
    return { ...counts, ...properties };
  }, SNAPSHOT_READS);
}

type Counts = Omit<Summary, "properties" | "sampled">;

/** All counts by indexes; undefined with too many groups. */
async function countExactly(client: PoolClient, environmentId: number): Promise<Counts | undefined> {
  const upTo = (rows: string, most: number) => `(SELECT count(*)::int FROM (${rows} LIMIT ${most + 1}) AS counted)`;
  const groups = (condition: string, most: number) =>
    upTo(`SELECT FROM user_group WHERE environment_id = $1 AND ${condition}`, most);
  const { rows } = await client.query<{ total: number; suspended: number; ended: number; deleted: number }>(
    `SELECT ${groups("true", MAX_COUNTED)} AS total, ${groups(STATE_CONDITIONS.suspended, MAX_TAKEN_OFF)} AS suspended,
       ${groups(STATE_CONDITIONS.ended, MAX_TAKEN_OFF)} AS ended,
       ${upTo("SELECT FROM deleted_group WHERE environment_id = $1", MAX_TAKEN_OFF)} AS deleted`,
    [environmentId],
  );
  const { total = 0, suspended = 0, ended = 0, deleted = 0 } = rows[0] ?? {};
  if (total > MAX_COUNTED || Math.max(suspended, ended, deleted) > MAX_TAKEN_OFF) return undefined;
  // A deleted group keeps its use, for an undo.
  const { rows: uses } = await client.query<{ never_used: number; idle: number }>(
    `WITH inactive AS MATERIALIZED (
       SELECT u.last_used_at FROM (
         SELECT team_id FROM user_group WHERE environment_id = $1 AND ${STATE_CONDITIONS.suspended}
         UNION ALL SELECT team_id FROM user_group WHERE environment_id = $1 AND ${STATE_CONDITIONS.ended}
         UNION ALL SELECT team_id FROM deleted_group WHERE environment_id = $1
       ) AS off JOIN group_use u USING (team_id)
     )
     SELECT (SELECT count(*) FROM group_use WHERE environment_id = $1 AND last_used_at = '-infinity')::int
         - (SELECT count(*) FROM inactive WHERE last_used_at = '-infinity')::int AS never_used,
       (SELECT count(*) FROM group_use WHERE environment_id = $1 AND last_used_at > '-infinity'
         AND last_used_at < ${IDLE_SINCE})::int
         - (SELECT count(*) FROM inactive WHERE last_used_at > '-infinity'
           AND last_used_at < ${IDLE_SINCE})::int AS idle`,
    [environmentId],
  );
  const { never_used = 0, idle = 0 } = uses[0] ?? {};
  // A row that was deleted by hand, in SQL, leaves its use behind.
  const in_use = Math.max(0, total - suspended - ended - never_used - idle);
  return { total, counts_are_exact: true, states: { in_use, idle, never_used, suspended, ended } };
}

/** The planner's estimate of all groups, divided by state as a sample is. */
async function estimate(client: PoolClient, environmentId: number): Promise<Counts> {
  const { rows: plans } = await client.query<{ "QUERY PLAN": [{ Plan: { "Plan Rows": number } }] }>(
    "EXPLAIN (FORMAT JSON) SELECT FROM group_search WHERE environment_id = $1",
    [environmentId],
  );
  const total = plans[0]?.["QUERY PLAN"][0].Plan["Plan Rows"] ?? 0;
  const { rows } = await client.query<{ state: keyof States; share: number }>(
    `WITH sample AS MATERIALIZED (${spread()})
     SELECT CASE WHEN ${STATE_CONDITIONS.suspended} THEN 'suspended' WHEN ${STATE_CONDITIONS.ended} THEN 'ended'
         WHEN last_used_at = '-infinity' THEN 'never_used' WHEN last_used_at < ${IDLE_SINCE} THEN 'idle'
         ELSE 'in_use' END AS state,
       count(*)::float / (SELECT count(*) FROM sample) AS share
     FROM sample CROSS JOIN LATERAL (
       SELECT g.state, g.access_ends_at, u.last_used_at FROM user_group g JOIN group_use u USING (team_id)
       WHERE g.environment_id = $1 AND u.environment_id = $1 AND g.team_id = sample.team_id ${BY_KEY}
     ) AS found GROUP BY 1`,
    [environmentId],
  );
  const states: States = { in_use: 0, idle: 0, never_used: 0, suspended: 0, ended: 0 };
  for (const { state, share } of rows) states[state] = Math.round(share * total);
  return { total, counts_are_exact: false, states };
}

/** A few groups after each of many places between the lowest and the highest number. */
function spread(): string {
  const group = "SELECT team_id FROM user_group WHERE environment_id = $1";
  return `SELECT DISTINCT near.team_id FROM (
      SELECT low + ((high - low)::bigint * step / ${PLACES})::int AS place
      FROM (SELECT (${group} ORDER BY environment_id, team_id LIMIT 1) AS low,
              (${group} ORDER BY environment_id DESC, team_id DESC LIMIT 1) AS high) AS bounds,
        generate_series(0, ${PLACES - 1}) AS step
    ) AS places CROSS JOIN LATERAL (
      ${group} AND team_id >= place ORDER BY environment_id, team_id LIMIT ${SAMPLED / PLACES}
    ) AS near`;
}

interface ValueRow {
  name: string;
  /** how many groups have the property */
  groups: number;
  /** JSON text; null for values that the answer omits */
  value: string | null;
  /** how many have the value */
  same: number;
  sampled: number;
}

async function readProperties(client: PoolClient, environmentId: number, total: number) {
  const all = `SELECT team_id FROM user_group WHERE environment_id = $1 LIMIT ${SAMPLED}`;
  const { rows } = await client.query<ValueRow>(
    `WITH sample AS MATERIALIZED (${total > SAMPLED ? spread() : all}),
       read AS MATERIALIZED (
         SELECT properties FROM sample CROSS JOIN LATERAL (
           SELECT properties FROM group_search s WHERE s.environment_id = $1 AND s.team_id = sample.team_id ${BY_KEY}
         ) AS found WHERE coalesce(pg_column_size(properties), 0) <= ${MAX_BYTES}
       ),
       members AS MATERIALIZED (
         SELECT m.key AS name, CASE WHEN jsonb_typeof(m.value) IN ('object', 'array')
             OR char_length(m.value::text) > ${MAX_VALUE} THEN NULL ELSE m.value::text END AS value
         FROM read CROSS JOIN LATERAL (
           SELECT * FROM jsonb_each(read.properties) LIMIT ${MAX_MEMBERS}
         ) AS m WHERE jsonb_typeof(read.properties) = 'object' AND char_length(m.key) <= ${MAX_NAME}
       ),
       names AS (SELECT name, count(*)::int AS groups FROM members GROUP BY name ORDER BY 2 DESC, 1
         LIMIT ${MAX_NAMES}),
       counted AS (SELECT name, value, count(*)::int AS same FROM members GROUP BY name, value),
       ranked AS (
         SELECT *, row_number() OVER (PARTITION BY name ORDER BY same DESC, value) AS place FROM counted
           WHERE value IS NOT NULL
       )
     SELECT sampled, name, groups, value, same FROM (SELECT count(*)::int AS sampled FROM read) AS size
     LEFT JOIN names ON true LEFT JOIN (SELECT * FROM ranked WHERE place <= ${MAX_VALUES}) AS top USING (name)
     ORDER BY groups DESC, name, same DESC, value`,
    [environmentId],
  );
  const properties = new Map<string, Summary["properties"][number]>();
  for (const { name, groups, value, same } of rows) {
    if (name === null) continue;
    const property = properties.get(name) ?? { name, groups, values: [] };
    properties.set(name, property);
    const scalar = value === null ? undefined : exactScalar(value);
    if (scalar !== undefined) property.values.push({ value: scalar, groups: same });
  }
  return { properties: [...properties.values()], sampled: rows[0]?.sampled ?? 0 };
}

/** A value, unless it is a number that JavaScript would change. */
function exactScalar(text: string): string | number | boolean | null | undefined {
  const value = JSON.parse(text);
  return typeof value === "number" && JSON.stringify(value) !== text ? undefined : value;
}
