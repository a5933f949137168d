import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { Client, escapeIdentifier, escapeLiteral } from "pg";
import { codeOf } from "@/lib/db/failures";
import { StartError } from "@/lib/errors";
import type { Queryable } from "@/lib/migrations/patience";
import { TABLES } from "@/lib/migrations/privileges";

// Two roles: the owner migrates, the runtime role serves. Only short-lived processes connect as the owner.

/** The owner when DATABASE_OWNER_URL is a superuser's. It cannot log in. */
const OWNER = "user_groups_owner";
const SCRAM_ROUNDS = 4_096;

/** A role, from a database URL. */
export interface PgRole {
  name: string;
  password: string;
}

/** The role that a URL logs in as, by pg's defaults. */
export function roleOf(url: string): PgRole {
  const { user = "", password } = new Client({ connectionString: url });
  return { name: user, password: password ?? "" };
}

/**
 * Creates a role that can only log in, unless one of this name exists.
 * @throws {StartError} when this connection's role cannot create roles
 */
export async function makeRole(db: Queryable, { name, password }: PgRole) {
  const { rows } = await db.query("SELECT FROM pg_roles WHERE rolname = $1", [name]);
  if (rows.length > 0) return;
  await create(db, `${escapeIdentifier(name)} LOGIN PASSWORD ${escapeLiteral(verifierOf(password))}`).catch((error) => {
    if (codeOf(error) !== "42501") throw error;
    throw new StartError(
      `The role "${name}" of DATABASE_URL does not exist, and the role of DATABASE_OWNER_URL cannot create it. ` +
        `As a superuser: CREATE ROLE ${escapeIdentifier(name)} LOGIN PASSWORD '…'`,
    );
  });
}

/** Changes a role's password. */
export async function setRolePassword(db: Queryable, { name, password }: PgRole) {
  await db.query(`ALTER ROLE ${escapeIdentifier(name)} PASSWORD ${escapeLiteral(verifierOf(password))}`);
}

/** Switches a superuser's connection to the owner, which is created, and gets the tables that a superuser owned. */
export async function becomeOwner(db: Queryable) {
  const { rows } = await db.query<{ database: string; schema: string }>(
    `SELECT quote_ident(current_database()) AS database, quote_ident(current_schema()) AS schema
     FROM pg_roles WHERE rolname = current_user AND rolsuper`,
  );
  const [place] = rows;
  if (!place) return;
  const { rows: known } = await db.query("SELECT FROM pg_roles WHERE rolname = $1", [OWNER]);
  if (known.length === 0) await create(db, `${OWNER} NOLOGIN`);
  // The extension pg_trgm requires CREATE on the database.
  await db.query(`
    GRANT CREATE ON DATABASE ${place.database} TO ${OWNER};
    GRANT USAGE, CREATE ON SCHEMA ${place.schema} TO ${OWNER};
    REVOKE CREATE ON SCHEMA ${place.schema} FROM PUBLIC`);
  await db.query(TAKE_OVER);
  await db.query(`SET ROLE ${OWNER}`);
}

/** In one transaction: gives the new owner everything that the owners of our tables own, except extension members. */
const TAKE_OVER = `
DO $$
DECLARE
  place oid := current_schema()::regnamespace;
  previous oid[] := ARRAY (
    SELECT relowner FROM pg_class WHERE relnamespace = place AND relkind IN ('r', 'p')
      AND relowner <> '${OWNER}'::regrole
      AND relname IN (${Object.keys(TABLES).map(escapeLiteral).join(", ")}));
  thing text;
BEGIN
  FOR thing IN
    SELECT 'TABLE ' || oid::regclass FROM pg_class c
    WHERE relnamespace = place AND relowner = ANY (previous) AND relkind IN ('r', 'p', 'v', 'm')
    UNION ALL
    SELECT 'ROUTINE ' || oid::regprocedure FROM pg_proc p
    WHERE pronamespace = place AND proowner = ANY (previous) AND NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
    UNION ALL
    SELECT 'TYPE ' || oid::regtype FROM pg_type t
    WHERE typnamespace = place AND typowner = ANY (previous) AND typtype IN ('e', 'd') AND NOT EXISTS (
      SELECT FROM pg_depend WHERE classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e')
  LOOP
    EXECUTE 'ALTER ' || thing || ' OWNER TO ${OWNER}';
  END LOOP;
END $$`;

/**
 * Refuses a role that neither owns the tables nor, in an empty database, can create them.
 * @throws {StartError} that names the owner, and what to run
 */
export async function requireOwner(db: Queryable) {
  const { rows } = await db.query<Ownership>(
    `WITH ours AS (
       SELECT relowner FROM pg_class
       WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname = ANY ($1)
     ), others AS (
       SELECT relowner FROM ours WHERE NOT pg_has_role(relowner, 'USAGE') LIMIT 1
     )
     SELECT current_user AS role, current_database() AS database, coalesce(current_schema(), 'public') AS schema,
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreate",
       (SELECT count(*)::int FROM ours) AS tables, (SELECT pg_get_userbyid(relowner) FROM others) AS owner,
       (SELECT relowner = 10 FROM others) AS "isBootstrap"`,
    [Object.keys(TABLES)],
  );
  const [found] = rows;
  if (found?.owner) throw new StartError(foreignOwner(found, found.owner));
  if (!found || found.tables > 0 || found.mayCreate) return;
  throw new StartError(
    `The role "${found.role}" cannot create tables in the database "${found.database}". As its owner, run: ` +
      `GRANT USAGE, CREATE ON SCHEMA ${escapeIdentifier(found.schema)} TO ${escapeIdentifier(found.role)}; ` +
      "or set DATABASE_OWNER_URL to the URL of a role that can.",
  );
}

interface Ownership {
  role: string;
  database: string;
  schema: string;
  mayCreate: boolean;
  /** number of our tables */
  tables: number;
  /** another role that owns one of them */
  owner: string | null;
  isBootstrap: boolean | null;
}

function foreignOwner({ role, database, isBootstrap }: Ownership, owner: string): string {
  // PostgreSQL refuses to reassign what its bootstrap superuser owns.
  const orReassign = isBootstrap
    ? `Or restore the dump as "${role}", with pg_restore --no-owner`
    : "Or make it the owner: as a superuser, in this database, run: " +
      `REASSIGN OWNED BY ${escapeIdentifier(owner)} TO ${escapeIdentifier(role)}`;
  return (
    `The tables of the database "${database}" belong to the role "${owner}", so "${role}" can neither migrate ` +
    "them nor grant itself missing privileges. " +
    `Set DATABASE_OWNER_URL to the URL of "${owner}", or run "./user-groups migrate" with it. ${orReassign}.`
  );
}

/** Another database of the server may be creating the same role concurrently. */
async function create(db: Queryable, role: string) {
  await db.query(`CREATE ROLE ${role}`).catch((error: unknown) => {
    if (!["42710", "23505"].includes(codeOf(error) ?? "")) throw error;
  });
}

/** A password in PostgreSQL's stored form (RFC 5803), so that a server that logs statements never logs the password. */
function verifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, SCRAM_ROUNDS, 32, "sha256");
  const key = (use: string) => createHmac("sha256", salted).update(use).digest();
  const stored = createHash("sha256").update(key("Client Key")).digest("base64");
  return `SCRAM-SHA-256$${SCRAM_ROUNDS}:${salt.toString("base64")}$${stored}:${key("Server Key").toString("base64")}`;
}
