import pg from "pg";
import { DDL_LOCK_TIMEOUT, patiently } from "@/lib/migrations/patience";
import { call, expect, expectError, newId, test } from "../fixtures/api";

/** Runs DDL with a short lock timeout. Other tests hold locks for seconds, and calls would queue behind waiting DDL. */
async function alter(connectionString: string, text: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await patiently(client, () => client.query(`SET LOCAL lock_timeout = '${DDL_LOCK_TIMEOUT}'; ${text}`));
  await client.end();
}

test("an id that others keep creating and deleting is reported as contested", async ({ stage: { databaseUrl } }) => {
  const id = newId();
  const name = `contested_${id.replaceAll("-", "_")}`;
  // Each insertion is dropped as if it had lost, but there is no winner.
  await alter(
    databaseUrl,
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
     CREATE TRIGGER ${name} BEFORE INSERT ON user_group FOR EACH ROW WHEN (NEW.provided_id = '${id}') EXECUTE FUNCTION ${name}()`,
  );
  try {
    for (const [method, path] of [
      ["GET", "/api/user"],
      ["POST", "/api/user/upsert"],
    ] as const) {
      const answer = await call(method, path, { body: { user_group_id: id } });
      expectError(answer, 503, "unavailable");
      expect(answer.json.error.message).toBe("Others create and delete this user group. Try again shortly.");
    }
  } finally {
    await alter(databaseUrl, `DROP FUNCTION ${name} CASCADE`);
  }
});
