// Prints each call's database cost, by EXPLAIN of the service's statements, and the size of its tables:
// `DATABASE_URL=… npx tsx bench/explain.ts`, on a database with groups and an API token. All writes are rolled back.
import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Author } from "@/lib/authority/authority";
import { env } from "@/lib/config/env";
import { openPool } from "@/lib/db/pool";
import { TextQuery } from "@/lib/db/text-query";
import { listGroups } from "@/lib/groups/list";
import { groupListInput } from "@/lib/groups/list-schema";
import { changeGroup, insertGroup, swapToken } from "@/lib/store/changes";
import { lookUp } from "@/lib/store/look-up";

const AUTHOR: Author = {
  actorType: "operator",
  actorId: null,
  actorName: "explain",
  requestId: "explain",
  sessionId: null,
};
/** The first execution reads from disk, and writes full pages to the WAL. */
const TIMES = 9;

const SIZES = `
  SELECT c.relname AS table, c.reltuples::bigint AS rows, pg_table_size(c.oid) AS bytes, i.index, i.index_bytes
  FROM pg_class c CROSS JOIN LATERAL (
    SELECT indexrelid::regclass::text AS index, pg_relation_size(indexrelid) AS index_bytes FROM pg_index WHERE indrelid = c.oid
  ) AS i
  WHERE c.oid IN ('user_group'::regclass, 'group_search'::regclass, 'group_use'::regclass, 'audit_entry'::regclass)
  ORDER BY c.relname DESC, i.index_bytes DESC`;

const SAMPLE = `
  SELECT environment_id, team_id, provided_id, token_index,
    (SELECT token_index FROM api_token t WHERE t.environment_id = g.environment_id AND revoked_at IS NULL LIMIT 1) AS credential
  FROM user_group g WHERE team_id >= (SELECT max(team_id) / 2 FROM user_group) ORDER BY team_id LIMIT 1`;

const print = (line: string) => process.stdout.write(`${line}\n`);
const { DATABASE_URL = "" } = env();
const client = new pg.Client({ connectionString: DATABASE_URL });
await client.connect();
const [sample] = (await client.query(SAMPLE)).rows;
if (!sample?.credential) throw new Error("The database has no group, or its environment no valid API token.");

async function writtenToLog(): Promise<number> {
  const { rows } = await client.query("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes");
  return Number(rows[0].bytes);
}

/** Replaces the service's pool: explains each statement, and rolls back writes. */
const explaining = {
  async query(query: string | pg.QueryConfig, given?: unknown[]) {
    const { text, values = given ?? [] } = typeof query === "string" ? { text: query } : query;
    // Lists run EXPLAIN themselves.
    if (/^(BEGIN|COMMIT|ROLLBACK|EXPLAIN)/.test(text)) return client.query(text, values as []);
    const isRead = !/\b(INSERT INTO|UPDATE user_group)\b/.test(text);
    let plan: { "QUERY PLAN": string }[] = [];
    let logged = Number.POSITIVE_INFINITY;
    for (let time = 0; time < TIMES; time++) {
      if (!isRead) await client.query("BEGIN");
      const before = await writtenToLog();
      plan = (await client.query(`EXPLAIN (ANALYZE, BUFFERS, WAL) ${text}`, values as [])).rows;
      logged = Math.min(logged, (await writtenToLog()) - before);
      if (!isRead) await client.query("ROLLBACK");
    }
    for (const line of plan) print(`  ${line["QUERY PLAN"]}`);
    // A plan omits triggers' writes, and contains full pages on their first write.
    print(isRead ? "" : `  WAL written, including triggers: ${logged} bytes\n`);
    return isRead ? client.query(text, values as []) : { rows: [] };
  },
  connect(onConnect?: (refused: undefined, client: typeof connection, release: () => void) => void) {
    if (!onConnect) return Promise.resolve(connection);
    onConnect(undefined, connection, connection.release);
  },
};
const connection = {
  connectionParameters: { query_timeout: 60_000 },
  async query(query: string | pg.QueryConfig | TextQuery, given?: unknown[]) {
    const result = await explaining.query(query, given);
    if (query instanceof TextQuery) query.handleReadyForQuery();
    return result;
  },
  release: () => undefined,
};
Object.assign(openPool(DATABASE_URL, 1), explaining);

const { environment_id: environmentId, team_id: teamId, provided_id: providedId, credential } = sample;
const stored = () => ({ tokenIndex: randomBytes(32), tokenSealed: randomBytes(86) });
const group = {
  environmentId,
  name: "Explained",
  mapping: '{"40":"213"}',
  properties: '{"plan":"pro"}',
  accessEndsAt: null,
};
const list = (query: object) => listGroups(environmentId, groupListInput.parse(query));
const calls: Record<string, () => Promise<unknown>> = {
  "GET existing": () => lookUp(credential, { providedId }),
  "GET creating: the look-up that finds nothing": () => lookUp(credential, { providedId: "explained" }),
  "GET creating: the insert": () =>
    insertGroup({ ...group, providedId: "explained", definitionsVersion: null, ...stored() }, AUTHOR),
  PUT: () => changeGroup({ ...group, providedId, tags: undefined }, AUTHOR),
  "POST rotating: the look-up": () => lookUp(credential, { tokenIndex: sample.token_index }),
  "POST rotating: the swap": () => {
    const { tokenIndex: newIndex, tokenSealed: newSealed } = stored();
    const swap = { environmentId, teamId, oldIndexes: [sample.token_index], newIndex, newSealed, overlapSeconds: 0 };
    return swapToken(swap, AUTHOR);
  },
  "GET /api/user-groups: page and total": () => list({}),
  "GET /api/user-groups, a search that finds few": () => list({ search: "12345" }),
};
for (const [what, call] of Object.entries(calls)) {
  print(`${what}\n`);
  await call();
}
const { rows } = await client.query(SIZES);
const mebibytes = (bytes: string) => `${(Number(bytes) / 2 ** 20).toFixed(1)} MiB`;
for (const [at, row] of rows.entries()) {
  if (row.table !== rows[at - 1]?.table)
    print(`${row.table}: ${row.rows} rows, ${mebibytes(row.bytes)} without its indexes`);
  print(`  ${row.index}: ${mebibytes(row.index_bytes)}`);
}
await client.end();
