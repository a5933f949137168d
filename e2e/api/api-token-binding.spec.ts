import { call, expect, newId, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";

test("an API token is refused after SQL moves it to another environment or widens its scopes", async ({
  database,
  stage: { databaseUrl, secretKey },
}) => {
  const name = newId("bound");
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
  const token = await insertApiToken(settings, { name, environment: "testing", access: "read" });
  const [row] = await database.query("SELECT id FROM api_token WHERE name = $1", [name]);
  const status = async () => (await call("GET", "/api/diagnosis", { token })).status;
  expect(await status()).toBe(200);
  for (const [column, other, before] of [
    ["environment_id", "1", "2"],
    ["access", "'write'", "'read'"],
    ["scopes", "ARRAY['groups:purge']", "NULL"],
    ["binding", "decode(repeat('00', 16), 'hex')", `(SELECT binding FROM kept_binding)`],
  ] as const) {
    await database.query("CREATE TABLE kept_binding AS SELECT binding FROM api_token WHERE id = $1", [row.id]);
    try {
      await database.query(`UPDATE api_token SET ${column} = ${other} WHERE id = $1`, [row.id]);
      expect(await status(), column).toBe(401);
    } finally {
      await database.query(`UPDATE api_token SET ${column} = ${before} WHERE id = $1`, [row.id]);
      await database.query("DROP TABLE kept_binding");
    }
    expect(await status(), column).toBe(200);
  }
});
