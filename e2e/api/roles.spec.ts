import { randomBytes } from "node:crypto";
import pg from "pg";
import { migrate } from "../../lib/migrations/migrate";
import { OWNERS_FUNCTIONS, SEQUENCES, TABLES } from "../../lib/migrations/privileges";
import { roleOf } from "../../lib/migrations/roles";
import { expect, test } from "../fixtures/api";
import { query } from "../fixtures/own-service";
import { stage } from "../fixtures/stage";

const RUNTIME = "e2e_runtime";
/** This month's partition of the history. */
const MONTH = `audit_entry_${new Date().toISOString().slice(0, 7).replace("-", "_")}`;

test("the runtime role has exactly the privileges that the code needs on each table, sequence and function", async ({
  database,
}) => {
  const granted = await database.query(
    `SELECT relname AS name, array_agg(privilege ORDER BY privilege COLLATE "C") AS privileges FROM (
       SELECT relname, privilege_type AS privilege FROM pg_class, aclexplode(relacl)
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p', 'f') AND grantee = $1::regrole
       UNION ALL
       SELECT relname, privilege_type || ' (' || attname || ')' FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid, aclexplode(attacl)
       WHERE relnamespace = 'public'::regnamespace AND grantee = $1::regrole
     ) AS all_of_them GROUP BY relname`,
    [RUNTIME],
  );
  const wanted = Object.entries(TABLES).map(([name, privileges]) => ({ name, privileges: [...privileges].sort() }));
  const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
  expect(granted.sort(byName)).toEqual(wanted.sort(byName));

  // Partitions have no privileges: they are accessed through their parent table.
  const tables = await database.query(
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p', 'f') AND NOT relispartition",
  );
  // A failure means a new table: choose its privileges in lib/migrations/privileges.ts.
  expect(tables.map(({ relname }) => relname).sort()).toEqual(Object.keys(TABLES).sort());

  const sequences = await database.query(
    `SELECT relname, (SELECT string_agg(privilege_type, ',') FROM aclexplode(relacl) WHERE grantee = $1::regrole) AS privileges
     FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' ORDER BY 1`,
    [RUNTIME],
  );
  expect(sequences).toEqual([...SEQUENCES].sort().map((relname) => ({ relname, privileges: "USAGE" })));

  const functions = await database.query(
    `SELECT oid::regprocedure::text AS signature, prosecdef AS "asOwner",
       has_function_privilege('public', oid, 'EXECUTE') AS "ofAll", has_function_privilege($1, oid, 'EXECUTE') AS granted,
       proconfig[1] LIKE 'search_path=pg_catalog, %, pg_temp' AS "isFixed"
     FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')`,
    [RUNTIME],
  );
  const asOwner = functions.filter((one) => one.asOwner);
  expect(asOwner.map(({ signature }) => signature).sort()).toEqual(OWNERS_FUNCTIONS);
  for (const one of asOwner) expect(one).toMatchObject({ ofAll: false, granted: true, isFixed: true });
  for (const { ofAll, granted: may } of functions.filter((one) => !one.asOwner))
    expect([ofAll, may]).toEqual([true, true]);
});

test("an owner without superuser rights owns everything, and the services use only the runtime role", async ({
  database,
}) => {
  const owners = await database.query(
    `SELECT DISTINCT pg_get_userbyid(owner) AS name FROM (
       SELECT relowner AS owner FROM pg_class WHERE relnamespace = 'public'::regnamespace
       UNION ALL SELECT proowner FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
         AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
       UNION ALL SELECT typowner FROM pg_type t WHERE typnamespace = 'public'::regnamespace AND typtype = 'e'
     ) AS things`,
  );
  expect(owners).toEqual([{ name: "user_groups_owner" }]);
  const [owner] = await database.query(
    "SELECT rolsuper, rolcanlogin, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = 'user_groups_owner'",
  );
  expect(owner).toEqual({ rolsuper: false, rolcanlogin: false, rolcreaterole: false, rolcreatedb: false });
  const sessions = await database.query(
    "SELECT DISTINCT usename FROM pg_stat_activity WHERE application_name ~ '^user-group-service [0-9]' AND datname = current_database()",
  );
  expect(sessions).toEqual([{ usename: RUNTIME }]);
});

for (const [what, statement] of [
  ["run a program", "COPY (SELECT 1) TO PROGRAM 'true'"],
  ["write a file", "COPY (SELECT 1) TO '/tmp/of-the-runtime-role'"],
  ["read a file", "SELECT pg_read_file('/etc/hostname')"],
  ["delete history", "DELETE FROM audit_entry"],
  ["change history", "UPDATE audit_entry SET action = 'x'"],
  ["empty the history", "TRUNCATE audit_entry"],
  ["add to a month of the history past the others", `INSERT INTO ${MONTH} SELECT * FROM audit_entry LIMIT 0`],
  ["delete a month of the history", `DELETE FROM ${MONTH}`],
  ["drop a month of the history", `DROP TABLE ${MONTH}`],
  ["detach a month of the history", `ALTER TABLE audit_entry DETACH PARTITION ${MONTH}`],
  ["lift the guard of the history", "ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_append_only"],
  [
    "replace the guard of the history",
    "CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
  ],
  ["switch triggers off", "SET session_replication_role = replica"],
  ["make a table", "CREATE TABLE public.mine (id int)"],
  ["make a function", "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
  ["make a schema", "CREATE SCHEMA mine"],
  ["drop a table", "DROP TABLE rate_count"],
  ["alter a table", "ALTER TABLE member ADD COLUMN extra text"],
  ["make an index", "CREATE INDEX mine ON member (name)"],
  ["add a trigger", "CREATE TRIGGER mine BEFORE INSERT ON member FOR EACH ROW EXECUTE FUNCTION refuse_group_move()"],
  ["read the passwords of roles", "SELECT rolpassword FROM pg_authid"],
  ["become the owner", "SET ROLE user_groups_owner"],
  ["make a role", "CREATE ROLE mine"],
  ["hide that a migration was applied", "DELETE FROM _prisma_migrations"],
  ["move an API token to another environment", "UPDATE api_token SET environment_id = 1"],
  ["lend an API token write access", "UPDATE api_token SET access = 'write'"],
  ["move a group to another environment", "UPDATE user_group SET environment_id = 1"],
  ["change the tag of an environment", "UPDATE environment SET tag = 'Testing'"],
] as const) {
  test(`the runtime role may not ${what}`, async () => {
    await expect(query(stage().runtimeUrl, statement)).rejects.toMatchObject({ code: "42501" });
  });
}

/** A new database on the stage's server, and a role that may log in. */
async function ownDatabase(url: string) {
  const name = `roles_${randomBytes(6).toString("hex")}`;
  await query(url, `CREATE DATABASE ${name}`);
  const own = new URL(url);
  own.pathname = name;
  const login = new URL(own);
  login.username = name;
  login.password = "secret";
  return {
    name,
    url: own.href,
    login: login.href,
    async drop() {
      await query(url, `DROP DATABASE ${name} WITH (FORCE)`);
      await query(url, `DROP ROLE IF EXISTS ${name}`);
    },
  };
}

test("a database served by a superuser is handed over to the owner once, completely", async () => {
  const own = await ownDatabase(stage().databaseUrl);
  try {
    await migrate(own.url);
    // `member` then stands for a table created in a start with one URL: the next start hands it over.
    await migrate(own.url, undefined, roleOf(own.login));
    await query(own.url, "ALTER TABLE member OWNER TO CURRENT_USER");
    await query(own.url, "INSERT INTO audit_entry (action, actor_type, actor_name) VALUES ('a', 'operator', 'o')");
    for (let round = 0; round < 2; round++) expect(await migrate(own.url, undefined, roleOf(own.login))).toEqual([]);
    const left = await query(
      own.url,
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relowner <> 'user_groups_owner'::regrole
       UNION ALL SELECT proname FROM pg_proc p WHERE pronamespace = 'public'::regnamespace AND proowner <> 'user_groups_owner'::regrole
         AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')
       UNION ALL SELECT typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype = 'e' AND typowner <> 'user_groups_owner'::regrole`,
    );
    expect(left).toEqual([]);
    expect(await query(own.login, "SELECT action FROM audit_entry")).toEqual([{ action: "a" }]);
    await expect(query(own.login, "DELETE FROM audit_entry")).rejects.toMatchObject({ code: "42501" });
  } finally {
    await own.drop();
  }
});

test("a dump restored by another role is refused in one sentence with the command to run", async () => {
  const own = await ownDatabase(stage().databaseUrl);
  try {
    await migrate(own.url);
    await query(own.url, `CREATE ROLE ${own.name} LOGIN PASSWORD 'secret'`);
    const refused = await migrate(own.login).catch((error: Error) => error);
    expect(refused).toMatchObject({
      message: expect.stringMatching(
        new RegExp(
          `^The tables of the database "${own.name}" belong to the role "postgres", so "${own.name}" can neither .*Set DATABASE_OWNER_URL to the URL of "postgres"`,
        ),
      ),
    });
    expect(refused).not.toBeInstanceOf(pg.DatabaseError);
  } finally {
    await own.drop();
  }
});
