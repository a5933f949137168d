import type pg from "pg";
import { snapshot } from "@/lib/store/group-row";

// Compares groups with what the history says they are, and with what lists find them by. Each statement reads one snapshot of the
// database, and a change writes group, entry and search together: none is ever seen half.

/** Selects `since`, from when on entries are kept: months are dropped whole, and the oldest that is left names the time. */
const OLDEST_MONTH = `
  SELECT min((translate(substring(relname FROM '\\d{4}_\\d{2}$'), '_', '-') || '-01T00:00:00Z')::timestamptz) AS since
  FROM pg_inherits JOIN pg_class partition ON partition.oid = inhrelid WHERE inhparent = 'audit_entry'::regclass AND NOT inhdetachpending`;

/** Entries that hold a whole group, after the change or, of a deletion, before it. */
const WHOLE = ["created", "updated", "token_rotated", "deleted", "restored"].map((what) => `'user_group.${what}'`);

const differs = (member: string, kept: string, row: string) =>
  `CASE WHEN ${kept} IS DISTINCT FROM ${row} THEN '${member}' END`;

/** The members of row r that differ from the last entry. */
const DIFFERING = [
  differs("id", "kept ->> 'provided_id'", "r.provided_id"),
  differs("name", "kept ->> 'name'", "r.name"),
  // As text: numbers that JSON.parse would round, and the order of members, count.
  differs("mapping", "(kept -> 'mapping')::text", "r.mapping"),
  differs("properties", "(kept -> 'properties')::text", "coalesce(r.properties, 'null')"),
  differs("end of access", "kept ->> 'access_ends_at'", `(${snapshot("r")})::json ->> 'access_ends_at'`),
  `CASE WHEN said.at >= $3::timestamptz AND kept ->> 'token_fingerprint' <> encode(substring(r.token_index FOR 8), 'hex') THEN 'token' END`,
  `CASE WHEN coalesce(turned.state, CASE WHEN r.created_at >= (SELECT since FROM reach) THEN 'active' ELSE r.state::text END) <> r.state::text THEN 'state' END`,
].join(", ");

const ROW =
  "environment_id, team_id, provided_id, name, mapping, properties, token_index, state, access_ends_at, updated_at";

const FIND_FAULTS = `
  WITH reach AS MATERIALIZED (${OLDEST_MONTH})
  SELECT n.team_id, coalesce(r.provided_id, kept ->> 'provided_id') AS provided_id, e.slug AS environment, fault
  FROM generate_series($1::int, $2::int) AS n(team_id)
  LEFT JOIN LATERAL (
    SELECT ${ROW}, created_at, greatest(updated_at, rotated_at) AS changed_at, false AS is_deleted FROM user_group g WHERE g.team_id = n.team_id
    UNION ALL
    SELECT ${ROW}, created_at, deleted_at, true FROM deleted_group d WHERE d.team_id = n.team_id
  ) AS r ON true
  LEFT JOIN LATERAL (
    SELECT a.action, a.at, a.environment_id, CASE a.action WHEN 'user_group.deleted' THEN a.before ELSE a.after END::json AS kept
    FROM audit_entry a WHERE a.team_id = n.team_id AND a.action IN (${WHOLE}) ORDER BY a.id DESC LIMIT 1
  ) AS said ON true
  LEFT JOIN LATERAL (
    SELECT a.after::json ->> 'state' AS state FROM audit_entry a
    WHERE a.team_id = n.team_id AND a.action IN ('user_group.suspended', 'user_group.resumed') ORDER BY a.id DESC LIMIT 1
  ) AS turned ON true
  LEFT JOIN group_search s ON s.team_id = n.team_id
  LEFT JOIN environment e ON e.id = coalesce(r.environment_id, said.environment_id, s.environment_id)
  CROSS JOIN LATERAL unnest(ARRAY[
    CASE WHEN r.team_id IS NULL AND said.action <> 'user_group.deleted' THEN 'the row is gone, and the history has no deletion' END,
    CASE WHEN said.action IS NULL AND turned.state IS NULL AND r.changed_at >= (SELECT since FROM reach) THEN 'the history has no entry of it' END,
    CASE WHEN r.is_deleted AND said.action <> 'user_group.deleted' THEN 'it is among the deleted groups, and the history has no deletion' END,
    CASE WHEN NOT r.is_deleted AND said.action = 'user_group.deleted' THEN 'it lives, and its last entry is its deletion' END,
    CASE WHEN said.action IS NOT NULL AND (said.action = 'user_group.deleted') = r.is_deleted
      THEN 'not as in its last entry: ' || nullif(concat_ws(', ', ${DIFFERING}), '') END,
    CASE WHEN NOT r.is_deleted AND s.team_id IS NULL THEN 'lists and searches do not have it' END,
    CASE WHEN r.is_deleted IS NOT FALSE AND s.team_id IS NOT NULL THEN 'lists and searches still have it' END,
    CASE WHEN NOT r.is_deleted AND (s.environment_id, s.provided_id, s.sort_name, s.search_text, s.properties, s.updated_at)
      IS DISTINCT FROM (r.environment_id, r.provided_id, lower(r.name), to_search_text(r.name || E'\\n' || (r.provided_id COLLATE "default")), r.properties::jsonb, r.updated_at)
      AND s.team_id IS NOT NULL THEN 'lists and searches have it otherwise' END
  ]) AS fault
  WHERE fault IS NOT NULL
  ORDER BY n.team_id`;

/** A group that is not as it should be. */
export interface GroupFault {
  team_id: number;
  /** its id, as far as it is known */
  provided_id: string | null;
  /** the slug of its environment; null if that is gone */
  environment: string | null;
  fault: string;
}

/** How far back the history tells enough to compare. */
interface Reach {
  groups: number;
  /** the largest number of a group, in any table */
  last: number;
  /** fingerprints of tokens from this time on are of the current key */
  fingerprints_since: Date | "-infinity";
}

// After a change of the key, an instance with the old one may write entries for a while.
const REACH = `
  SELECT (SELECT count(*)::int FROM user_group) AS groups,
    greatest((SELECT max(team_id) FROM user_group), (SELECT max(team_id) FROM deleted_group), (SELECT max(team_id) FROM group_search),
      (SELECT max(team_id) FROM audit_entry), 0) AS last,
    CASE WHEN key.since <= coalesce((SELECT min(at) FROM audit_entry), 'infinity') THEN '-infinity' ELSE key.since + interval '1 day' END AS fingerprints_since
  FROM (SELECT max(created_at) AS since FROM secret_key) AS key`;

/** What there is to compare, read in the client's transaction. */
export async function reachOf(client: pg.PoolClient): Promise<Reach> {
  const [reach] = await readWhole<Reach>(client, REACH);
  if (!reach) throw new Error("the reach of the history is unknown");
  return reach;
}

/** The faults of the groups with these numbers. */
export async function findFaults(client: pg.PoolClient, from: number, to: number, reach: Reach): Promise<GroupFault[]> {
  const values = [from, to, reach.fingerprints_since];
  return (await client.query<GroupFault>({ name: "find_faults", text: FIND_FAULTS, values })).rows;
}

/** Groups that share an id or a token, which their unique indexes exclude: read past them, as they may be what is broken. */
const FIND_TWINS = `
  SELECT g.team_id, g.provided_id, e.slug AS environment, 'another group has the same ' || twin.what AS fault
  FROM (
    SELECT 'id' AS what, unnest(array_agg(team_id)) AS team_id FROM user_group GROUP BY environment_id, provided_id HAVING count(*) > 1
    UNION ALL
    SELECT 'token', unnest(array_agg(team_id)) FROM user_group GROUP BY token_index HAVING count(*) > 1
  ) AS twin
  JOIN user_group g USING (team_id) LEFT JOIN environment e ON e.id = g.environment_id
  ORDER BY g.team_id, fault`;

/** The groups that share an id or a token, read in the client's transaction. */
export async function findTwins(client: pg.PoolClient): Promise<GroupFault[]> {
  await client.query(
    "SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off",
  );
  return readWhole<GroupFault>(client, FIND_TWINS);
}

/** Time to read whole tables, in milliseconds. */
const PATIENCE_MS = 3_600_000;

async function readWhole<Row extends pg.QueryResultRow>(client: pg.PoolClient, text: string): Promise<Row[]> {
  await client.query(`SET LOCAL statement_timeout = ${PATIENCE_MS}`);
  const query: pg.QueryConfig & Pick<pg.ClientConfig, "query_timeout"> = { text, query_timeout: PATIENCE_MS };
  return (await client.query<Row>(query)).rows;
}
