import { migrate } from "../../lib/migrations/migrate";
import { expect, test } from "../fixtures/migrations";
import { findMislaid } from "../fixtures/stored";

const group =
  "INSERT INTO user_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed)";

test("each group has its row for its last use, whatever statement creates it", async ({ createDatabase }) => {
  const database = await createDatabase();
  await migrate(database.url);
  await database.query(
    `${group} SELECT id, 'a', 'A', '{}', NULL, sha256(convert_to('a' || id, 'UTF8')), '' FROM environment ORDER BY id`,
  );
  const rows = `SELECT provided_id, g.environment_id, last_used_at::text FROM user_group g
    LEFT JOIN group_use u ON u.team_id = g.team_id AND u.environment_id = g.environment_id ORDER BY g.team_id`;
  expect((await database.query(rows)).rows).toEqual(
    [1, 2].map((environment_id) => ({ provided_id: "a", environment_id, last_used_at: "-infinity" })),
  );
});

test("each group has its search row, whatever statement creates, changes or deletes it", async ({ createDatabase }) => {
  const database = await createDatabase();
  await migrate(database.url);
  await database.query(
    `${group} SELECT 1 + n % 2, 'id-' || n, 'Ärzte \\ ' || n, '{}', '{"n":' || n || '}', sha256(n::text::bytea), ''
     FROM generate_series(1, 2000) AS n`,
  );
  expect(await findMislaid(database.url)).toEqual([]);
  await database.query(
    "UPDATE user_group SET name = name || ' Straße', updated_at = now() WHERE team_id % 3 = 0; UPDATE user_group SET properties = NULL WHERE team_id % 5 = 0",
  );
  await database.query("DELETE FROM user_group WHERE team_id % 7 = 0");
  expect(await findMislaid(database.url)).toEqual([]);
  const { rows } = await database.query("SELECT count(*)::int FROM group_search");
  expect(rows).toEqual([{ count: 2000 - 285 }]);
});
