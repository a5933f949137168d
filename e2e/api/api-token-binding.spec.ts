import { call, expect, test } from "../fixtures/api";

test("S6: an API token whose row was moved to another environment, or lent write access, by SQL is refused", async ({
  database,
  stage: { tokens },
}) => {
  const [row] = await database.query("SELECT id FROM api_token WHERE access = 'read' ORDER BY id LIMIT 1");
  const status = async () => (await call("GET", "/api/diagnosis", { token: tokens.readOnly })).status;
  expect(await status()).toBe(200);
  for (const [column, other, before] of [
    ["environment_id", "1", "2"],
    ["access", "'write'", "'read'"],
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

test("S6: an API token from before bindings is bound when it is shown, but not a week after the migration", async ({
  database,
  stage: { tokens },
}) => {
  const [{ id }] = await database.query("SELECT id FROM api_token WHERE access = 'read' ORDER BY id LIMIT 1");
  const status = async () => (await call("GET", "/api/diagnosis", { token: tokens.readOnly })).status;
  const migrated = (at: string) =>
    database.query(`UPDATE _prisma_migrations SET finished_at = ${at} WHERE migration_name LIKE '%api_token_binding'`);
  const unbind = () => database.query("UPDATE api_token SET binding = NULL WHERE id = $1", [id]);
  try {
    await unbind();
    expect(await status()).toBe(200);
    expect(await database.query("SELECT octet_length(binding) AS bytes FROM api_token WHERE id = $1", [id])).toEqual([
      { bytes: 16 },
    ]);
    await migrated("now() - interval '8 days'");
    expect(await status()).toBe(200);
    await unbind();
    expect(await status()).toBe(401);
  } finally {
    await migrated("now()");
  }
  expect(await status()).toBe(200);
});
