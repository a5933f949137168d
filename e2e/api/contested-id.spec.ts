import { call, expect, expectError, newId, test } from "../fixtures/api";

test("an id that others keep creating and deleting is reported as contested", async ({ database }) => {
  const id = newId();
  const name = `contested_${id.replaceAll("-", "_")}`;
  // Each insertion loses, and finds no winner.
  await database.query(`CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`);
  await database.query(
    `CREATE TRIGGER ${name} BEFORE INSERT ON user_group FOR EACH ROW WHEN (NEW.provided_id = '${id}') EXECUTE FUNCTION ${name}()`,
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
    await database.query(`DROP FUNCTION ${name} CASCADE`);
  }
});
