import { escapeIdentifier } from "pg";
import { read, statement } from "@/lib/db/pool";
import type { Queryable } from "@/lib/migrations/patience";

const ALL = ["SELECT", "INSERT", "UPDATE", "DELETE"];
/** A column of a table, where only some may be written. */
const update = (...columns: string[]) => columns.map((column) => `UPDATE (${column})`);

/**
 * The runtime role's complete privileges per table. A new table, and a new column of a table that lists its columns,
 * needs an entry here: e2e/api/roles.spec.ts fails without one.
 */
export const TABLES: Readonly<Record<string, readonly string[]>> = {
  _prisma_migrations: ["SELECT"],
  account: ALL,
  active_viewer: ["SELECT", "INSERT", "DELETE"],
  api_token: [
    "SELECT",
    "INSERT",
    "DELETE",
    ...update("allowed_networks", "asked_at", "binding", "digest_sealed", "expires_at", "expiry_announced"),
    ...update("last_used_at", "polled_at", "refused_at", "refused_count", "refused_from", "revoked_at", "token_index"),
  ],
  api_token_use_month: ALL,
  audit_entry: ["SELECT", "INSERT"],
  definitions: ["SELECT", "INSERT", ...update("document", "updated_at", "version")],
  deleted_group: ["SELECT", "INSERT", "DELETE", ...update("token_index", "token_sealed")],
  environment: [
    "SELECT",
    "INSERT",
    "DELETE",
    ...update("allowed_origins", "embed_template", "name", "viewer_settings", "viewer_version"),
  ],
  environment_use_month: ALL,
  feed_epoch: ["SELECT"],
  findings: ALL,
  group_search: ALL,
  group_use: ALL,
  group_use_month: ALL,
  history_dropped: ["SELECT"],
  idempotency_key: ALL,
  job: ALL,
  job_piece: ["SELECT", "INSERT", "DELETE"],
  job_row: ALL,
  member: ALL,
  one_time_link: ALL,
  previous_token: ALL,
  rate_count: ALL,
  reserved_id: ALL,
  secret_key: ["SELECT", "INSERT", "DELETE", ...update("viewers_sealed")],
  session: ALL,
  sign_in_attempt: ALL,
  sign_in_failure: ALL,
  two_factor: ALL,
  user_group: [
    "SELECT",
    "INSERT",
    "DELETE",
    ...update("access_ends_at", "allowed_origins", "gen", "mapping", "name", "properties", "provided_id"),
    ...update("rotated_at", "state", "token_index", "token_sealed", "updated_at", "version"),
  ],
  verification: ALL,
  viewer_key: ["SELECT", "INSERT", "DELETE", ...update("ends_at", "private_sealed", "revoked_at", "signs_from")],
  viewer_revocation: ALL,
  webhook: ALL,
  webhook_delivery: ALL,
};

/** Sequences for the rows that the runtime role inserts. */
export const SEQUENCES = [
  "api_token_id_seq",
  "audit_entry_id_seq",
  "environment_id_seq",
  "job_id_seq",
  "one_time_link_id_seq",
  "user_group_team_id_seq",
  "webhook_delivery_id_seq",
  "webhook_id_seq",
];

/** Functions that run as the owner. All others run as their caller, and anyone can call them. */
export const OWNERS_FUNCTIONS = [
  "blank_history(integer,integer,bigint,integer)",
  "clean_pending_lists()",
  "erase_group(integer,integer)",
  "keep_use_partitions()",
  "make_audit_partitions()",
  "raise_feed_epoch()",
];

/**
 * The privileges that a connection's role lacks, such as `UPDATE on member`; a table dropped by a newer release is
 * skipped.
 */
export async function missingPrivileges(db: Queryable): Promise<string[]> {
  const tables = Object.entries(TABLES).flatMap(([table, privileges]) =>
    privileges.map((privilege) => ({ kind: "table", name: table, privilege })),
  );
  const wanted = [
    ...tables,
    ...SEQUENCES.map((name) => ({ kind: "sequence", name, privilege: "USAGE" })),
    ...OWNERS_FUNCTIONS.map((name) => ({ kind: "function", name, privilege: "EXECUTE" })),
  ];
  const { rows } = await db.query<{ name: string; privilege: string }>(
    `SELECT name, privilege FROM json_to_recordset($1) AS w(kind text, name text, privilege text)
     WHERE NOT CASE
       WHEN kind = 'function' THEN has_function_privilege(to_regprocedure(name), privilege)
       WHEN kind = 'sequence' THEN has_sequence_privilege(to_regclass(name), privilege)
       WHEN privilege LIKE 'UPDATE (%'
         THEN has_column_privilege(to_regclass(name), substring(privilege FROM '\\((.*)\\)'), 'UPDATE')
       ELSE has_table_privilege(to_regclass(name), privilege)
     END`,
    [JSON.stringify(wanted)],
  );
  return rows.map(({ name, privilege }) => `${privilege} on ${name}`);
}

const IS_OVERPRIVILEGED = statement("is_overprivileged")`
  SELECT rolsuper OR EXISTS (
    SELECT FROM pg_partition_tree('audit_entry') JOIN pg_class c ON c.oid = relid
    WHERE pg_has_role(relowner, 'MEMBER') OR has_table_privilege(relid, 'UPDATE, DELETE, TRUNCATE')
  ) AS may
  FROM pg_roles WHERE rolname = current_user`;

/** Whether the serving role could change the history: it is a superuser, or owns the table. */
export async function isOverprivileged(): Promise<boolean> {
  const [role] = await read<{ may: boolean }>(IS_OVERPRIVILEGED, []);
  return role?.may ?? false;
}

/** As the owner: grants a role future migrations' tables, so that this release keeps working alongside. */
export async function grantDefaults(db: Queryable, role: string) {
  const name = escapeIdentifier(role);
  const { rows } = await db.query<{ schema: string | null }>("SELECT quote_ident(current_schema()) AS schema");
  // Null where no schema of the search path exists.
  const schema = rows[0]?.schema ?? "public";
  await db.query(`
    GRANT USAGE ON SCHEMA ${schema} TO ${name};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${name};
    ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE ON SEQUENCES TO ${name}`);
}

/** As the owner of a migrated database: grants a role what it needs to serve; `exactly` also revokes the rest. */
export async function grantPrivileges(db: Queryable, role: string, exactly: boolean) {
  const name = escapeIdentifier(role);
  const to = (what: string, privileges: readonly string[]) =>
    `${exactly ? `REVOKE ALL ON ${what} FROM ${name}; ` : ""}GRANT ${privileges.join(", ")} ON ${what} TO ${name}`;
  // Months are accessed through their tables only. A restored dump creates them with default privileges.
  const { rows: months } = await db.query<{ table: string }>(
    `SELECT relid::regclass::text AS table
     FROM unnest(ARRAY['audit_entry', 'group_use_month']) AS parent, pg_partition_tree(parent::regclass) WHERE isleaf`,
  );
  // One text without parameters is one transaction: no statement of a service sees a table without privileges.
  await db.query(
    [
      ...Object.entries(TABLES).map(([table, privileges]) => to(`TABLE ${escapeIdentifier(table)}`, privileges)),
      ...SEQUENCES.map((sequence) => to(`SEQUENCE ${sequence}`, ["USAGE"])),
      ...(exactly ? months.map(({ table }) => `REVOKE ALL ON TABLE ${table} FROM ${name}`) : []),
      // A restored dump leaves them to everyone.
      ...OWNERS_FUNCTIONS.map((signature) => `REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC`),
      ...OWNERS_FUNCTIONS.map((signature) => to(`FUNCTION ${signature}`, ["EXECUTE"])),
    ].join(";\n"),
  );
}
