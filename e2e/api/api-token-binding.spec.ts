import { call, expect, test } from "../fixtures/api";

test("S6: an API token whose row was moved to another environment, or lent more, by SQL is refused", async ({
  database,
  stage: { tokens },
}) => {
  const [row] = await database.query("SELECT id FROM api_token WHERE access = 'read' ORDER BY id LIMIT 1");
  const status = async () => (await call("GET", "/api/diagnosis", { token: tokens.readOnly })).status;
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
