import type pg from "pg";
import { snapshot } from "@/lib/store/group-row";

// Compares groups with the history and with the rows that lists search. Each statement reads one snapshot of the
// database, and a change writes group, entry and search row together, so no statement sees half a change.

/**
 * Selects `since`, the time from which entries are kept: months are dropped whole, so the oldest one left starts then.
 */
const OLDEST_MONTH = `
  SELECT min((translate(substring(relname FROM '\\d{4}_\\d{2}$'), '_', '-') || '-01T00:00:00Z')::timestamptz) AS since
  FROM pg_inherits JOIN pg_class partition ON partition.oid = inhrelid WHERE inhparent = 'audit_entry'::regclass
    AND NOT inhdetachpending`;

const actions = (...names: string[]) => names.map((name) => `'user_group.${name}'`).join(", ");
/** Entries that hold a whole group: after the change, or before it for a deletion. */
const WHOLE = actions("created", "updated", "renamed", "token_rotated", "deleted", "restored");
/**
 * Changes that set `updated_at`, each to the time of its entry; a creation by an operator may be a backdated sample.
 */
const UPDATES = actions("created", "updated", "renamed", "suspended", "resumed", "restored");
/** Changes that raise `version`, by one each. */
const VERSIONS = actions("updated", "renamed", "token_rotated", "suspended", "resumed", "restored");
/** Changes that may raise `gen`, by one each. */
const GENERATIONS = `${VERSIONS}, ${actions("deleted", "overlap_ended", "views_ended")}`;

/** The last of these entries of group n, as `name`. */
const last = (name: string, columns: string, among: string) => `
  LEFT JOIN LATERAL (
    SELECT ${columns} FROM audit_entry a WHERE a.team_id = n.team_id AND a.action IN (${among}) ORDER BY a.id DESC
      LIMIT 1
  ) AS ${name} ON true`;

const differs = (member: string, kept: string, row: string) =>
  `CASE WHEN ${kept} IS DISTINCT FROM ${row} THEN '${member}' END`;
/** Like {@link differs}, but only where the history has a value to compare. */
const differsFrom = (member: string, kept: string, row: string) => `CASE WHEN ${kept} <> ${row} THEN '${member}' END`;

/** Whether the history has all of the group's entries. */
const IS_WHOLE = "counted.is_whole AND r.created_at >= (SELECT since FROM reach)";
const isPast = (entry: string) => `${entry}.action = 'user_group.created' AND ${entry}.actor_type = 'operator'`;

/** The members of row r that differ from the history. */
const DIFFERING = [
  differs("environment", "said.environment_id", "r.environment_id"),
  differs("id", "kept ->> 'provided_id'", "r.provided_id"),
  differs("name", "kept ->> 'name'", "r.name"),
  // As text: numbers that JSON.parse would round, and the order of members, count.
  differs("mapping", "(kept -> 'mapping')::text", "r.mapping"),
  differs("properties", "(kept -> 'properties')::text", "coalesce(r.properties, 'null')"),
  differs("end of access", "kept ->> 'access_ends_at'", `(${snapshot("r")})::json ->> 'access_ends_at'`),
  `CASE WHEN said.at >= $3::timestamptz
    AND kept ->> 'token_fingerprint' <> encode(substring(r.token_index FOR 8), 'hex') THEN 'token' END`,
  `CASE WHEN coalesce(turned.state, CASE WHEN turned.id IS NULL AND r.created_at >= (SELECT since FROM reach)
    THEN 'active' ELSE r.state::text END) <> r.state::text THEN 'state' END`,
  `CASE WHEN coalesce((moved.after::json -> 'allowed_origins')::text,
      CASE WHEN moved.id IS NULL AND ${IS_WHOLE} THEN 'null' END)
    <> coalesce(to_json(r.allowed_origins)::text, 'null') THEN 'allowed origins' END`,
  `CASE WHEN r.version < 1 + counted.versions OR r.version > 1 + counted.versions AND ${IS_WHOLE} THEN 'version' END`,
  // A range, because some changes do not always raise it. viewer_revocation keeps a raise while tokens it ended live.
  `CASE WHEN r.gen < coalesce(v.gen, 1) OR r.gen > 1 + counted.generations AND ${IS_WHOLE} THEN 'generation' END`,
  differsFrom("time of creation", `CASE WHEN NOT (${isPast("made")}) THEN made.at END`, "r.created_at"),
  differsFrom("time of the last change", `CASE WHEN NOT (${isPast("updated")}) THEN updated.at END`, "r.updated_at"),
  differsFrom("time of the last rotation", `CASE WHEN NOT (${isPast("rotated")}) THEN rotated.at END`, "r.rotated_at"),
  differsFrom("time of deletion", "CASE WHEN r.is_deleted THEN said.at END", "r.deleted_at"),
].join(", ");

/** The end of the overlap that the last rotation began, by its entry; NULL without one. */
const OVERLAP_END = "(rotated.after::json ->> 'previous_token_valid_until')::timestamptz";
/** The members of row p of previous_token that differ from the rotation. */
const PREVIOUS_DIFFERING = [
  differs("end", OVERLAP_END, "least(p.valid_until, (rotated.after::json ->> 'access_ends_at')::timestamptz)"),
  `CASE WHEN rotated.at >= $3::timestamptz AND rotated.ended_token <> substring(p.token_index FOR 8) THEN 'token' END`,
].join(", ");
const IS_OVERLAP_ENDED = `EXISTS (
  SELECT FROM audit_entry a WHERE a.team_id = n.team_id AND a.action = 'user_group.overlap_ended'
    AND a.id > rotated.id)`;

const ROW = `environment_id, team_id, provided_id, name, mapping, properties, token_index, state, access_ends_at,
      updated_at, created_at, rotated_at, allowed_origins, version, gen`;

const FIND_FAULTS = `
  WITH reach AS MATERIALIZED (${OLDEST_MONTH}), numbers AS MATERIALIZED (
    SELECT pg_sequence_last_value(pg_get_serial_sequence('user_group', 'team_id')::regclass) AS last
  )
  SELECT n.team_id, coalesce(r.provided_id, kept ->> 'provided_id') AS provided_id, e.slug AS environment, fault
  FROM generate_series($1::int, $2::int) AS n(team_id)
  LEFT JOIN LATERAL (
    SELECT ${ROW}, greatest(updated_at, rotated_at) AS changed_at, NULL::timestamptz AS deleted_at, false AS is_deleted
    FROM user_group g WHERE g.team_id = n.team_id
    UNION ALL
    SELECT ${ROW}, deleted_at, deleted_at, true FROM deleted_group d WHERE d.team_id = n.team_id
  ) AS r ON true
  LEFT JOIN LATERAL (
    SELECT a.action, a.at, a.environment_id, CASE a.action WHEN 'user_group.deleted' THEN a.before
      ELSE a.after END::json AS kept
    FROM audit_entry a WHERE a.team_id = n.team_id AND a.action IN (${WHOLE}) ORDER BY a.id DESC LIMIT 1
  ) AS said ON true
  ${last("turned", "a.id, a.after::json ->> 'state' AS state", actions("suspended", "resumed"))}
  ${last("moved", "a.id, a.after", actions("origins_changed"))}
  ${last("made", "a.action, a.actor_type, a.at", actions("created"))}
  ${last("updated", "a.action, a.actor_type, a.at", UPDATES)}
  ${last("rotated", "a.action, a.actor_type, a.at, a.id, a.after, a.ended_token", actions("created", "token_rotated"))}
  CROSS JOIN LATERAL (
    SELECT coalesce(bool_or(a.action = 'user_group.created'), false) AS is_whole,
      count(*) FILTER (WHERE a.action IN (${VERSIONS})) AS versions,
        count(*) FILTER (WHERE a.action IN (${GENERATIONS})) AS generations
    FROM audit_entry a WHERE a.team_id = n.team_id
  ) AS counted
  LEFT JOIN viewer_revocation v ON v.team_id = n.team_id AND v.viewer_key = ''
  LEFT JOIN previous_token p ON p.team_id = n.team_id
  LEFT JOIN group_search s ON s.team_id = n.team_id
  LEFT JOIN environment e ON e.id = coalesce(r.environment_id, said.environment_id, s.environment_id)
  CROSS JOIN LATERAL unnest(ARRAY[
    CASE WHEN r.team_id IS NULL AND said.action <> 'user_group.deleted'
      THEN 'the row is gone, but the history has no deletion' END,
    CASE WHEN said.action IS NULL AND turned.state IS NULL
      AND r.changed_at >= (SELECT since FROM reach) THEN 'the history has no entry for it' END,
    CASE WHEN r.is_deleted AND said.action <> 'user_group.deleted'
      THEN 'it is among the deleted groups, but the history has no deletion' END,
    CASE WHEN NOT r.is_deleted AND said.action = 'user_group.deleted'
      THEN 'it exists, but its last entry is its deletion' END,
    CASE WHEN r.team_id > (SELECT last FROM numbers) THEN 'its number was never assigned' END,
    CASE WHEN said.action IS NOT NULL AND (said.action = 'user_group.deleted') = r.is_deleted
      THEN 'differs from the history: ' || nullif(concat_ws(', ', ${DIFFERING}), '') END,
    CASE WHEN r.team_id IS NOT NULL AND p.replaced_at = rotated.at AND rotated.after IS NOT NULL
      THEN 'its previous token differs from the history: ' || nullif(concat_ws(', ', ${PREVIOUS_DIFFERING}), '') END,
    CASE WHEN r.team_id IS NOT NULL AND p.replaced_at = rotated.at AND ${IS_OVERLAP_ENDED}
      THEN 'its previous token still exists, but the history has the end of its overlap' END,
    CASE WHEN r.team_id IS NOT NULL AND p.replaced_at IS DISTINCT FROM rotated.at AND ${OVERLAP_END} > now()
      AND NOT ${IS_OVERLAP_ENDED}
      THEN 'its previous token is gone before the end of its overlap' END,
    CASE WHEN NOT r.is_deleted AND s.team_id IS NULL THEN 'missing from lists and searches' END,
    CASE WHEN r.is_deleted IS NOT FALSE AND s.team_id IS NOT NULL THEN 'still in lists and searches' END,
    CASE WHEN NOT r.is_deleted AND (s.environment_id, s.provided_id, s.sort_name, s.search_text, s.properties,
      s.updated_at)
      IS DISTINCT FROM (r.environment_id, r.provided_id, lower(r.name),
        to_search_text(r.name || E'\\n' || (r.provided_id COLLATE "default")), r.properties::jsonb, r.updated_at)
      AND s.team_id IS NOT NULL THEN 'outdated in lists and searches' END
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

/** How many groups there are to compare, and how far back. */
export interface Reach {
  groups: number;
  /** token fingerprints from this time on were made with the current key */
  fingerprints_since: Date | "-infinity";
}

// After a change of the key, an instance with the old one may write entries for a while.
const REACH = `
  SELECT (SELECT count(*)::int FROM user_group) AS groups,
    CASE WHEN key.since <= coalesce((SELECT min(at) FROM audit_entry), 'infinity') THEN '-infinity'
      ELSE key.since + interval '1 day' END AS fingerprints_since
  FROM (SELECT max(created_at) AS since FROM secret_key) AS key`;

/** Reads the {@link Reach} in the client's transaction. */
export async function reachOf(client: pg.PoolClient): Promise<Reach> {
  const [reach] = await readWhole<Reach>(client, { text: REACH });
  if (!reach) throw new Error("the reach of the history is unknown");
  return reach;
}

/** The first number from $1 on that any table has. */
const NEXT_NUMBER = `SELECT least(${["user_group", "deleted_group", "group_search", "previous_token", "audit_entry"]
  .map((table) => `(SELECT min(team_id) FROM ${table} WHERE team_id >= $1)`)
  .join(", ")}) AS next`;

/** The first number from here on that a group has, in any table; null at the end. */
export async function nextNumber(client: pg.PoolClient, from: number): Promise<number | null> {
  const [row] = await readWhole<{ next: number | null }>(client, { name: "next_number", text: NEXT_NUMBER }, [from]);
  return row?.next ?? null;
}

/** The faults of the groups with these numbers. */
export function findFaults(client: pg.PoolClient, from: number, to: number, reach: Reach): Promise<GroupFault[]> {
  const values = [from, to, reach.fingerprints_since];
  return readWhole<GroupFault>(client, { name: "find_faults", text: FIND_FAULTS }, values);
}

/**
 * Groups that share an id or a token, which unique indexes rule out. Read without those indexes, which may be broken.
 */
const FIND_TWINS = `
  SELECT g.team_id, g.provided_id, e.slug AS environment, 'another group has the same ' || twin.what AS fault
  FROM (
    SELECT 'id' AS what, unnest(array_agg(team_id)) AS team_id FROM user_group GROUP BY environment_id, provided_id
      HAVING count(*) > 1
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
  return readWhole<GroupFault>(client, { text: FIND_TWINS });
}

/** Time to read whole tables, in milliseconds. */
const PATIENCE_MS = 3_600_000;

async function readWhole<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  statement: Pick<pg.QueryConfig, "name" | "text">,
  values: unknown[] = [],
): Promise<Row[]> {
  await client.query(`SET LOCAL statement_timeout = ${PATIENCE_MS}`);
  const query = { ...statement, values, query_timeout: PATIENCE_MS };
  return (await client.query<Row>(query)).rows;
}
