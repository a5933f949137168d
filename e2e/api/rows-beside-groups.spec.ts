import { readFileSync } from "node:fs";
import { migrate, migrationNames } from "../../lib/db/migrate";
import { expect, test } from "../fixtures/migrations";
import { findMislaid } from "../fixtures/stored";

const group =
  "INSERT INTO user_group (environment_id, provided_id, name, mapping, properties, token_index, token_sealed)";

test("each group has its row for its last use, those from before and those that an older release makes", async ({
  createDatabase,
  folderWith,
}) => {
  const database = await createDatabase();
  await migrate(
    database.url,
    folderWith("SELECT 1", (name) => /_group_use(_of_all)?$/.test(name)),
  );
  const create = (id: string) =>
    database.query(
      `${group} SELECT id, $1, 'A', '{}', NULL, sha256(convert_to($1::text || id, 'UTF8')), '' FROM environment ORDER BY id`,
      [id],
    );
  await create("before");
  await migrate(database.url);
  await create("after");
  const rows = `SELECT provided_id, g.environment_id, last_used_at::text FROM user_group g
    LEFT JOIN group_use u ON u.team_id = g.team_id AND u.environment_id = g.environment_id ORDER BY g.team_id`;
  expect((await database.query(rows)).rows).toEqual(
    ["before", "after"].flatMap((provided_id) =>
      [1, 2].map((environment_id) => ({ provided_id, environment_id, last_used_at: "-infinity" })),
    ),
  );
});

/** The migrations of the table that searches ask, and of what needs it. */
const LATER = /_group_search|_search_beside_groups|_clean_pending_lists/;

test("each group has its row for searches, also what is made, changed and deleted while those from before get theirs", async ({
  createDatabase,
  folderWith,
}) => {
  const database = await createDatabase();
  await migrate(
    database.url,
    folderWith("SELECT 1", (name) => LATER.test(name)),
  );
  const create = (first: number, last: number) =>
    database.query(
      `${group} SELECT 1 + n % 2, 'id-' || n, 'Ärzte \\ ' || n, '{}', '{"n":' || n || '}', sha256(n::text::bytea), ''
       FROM generate_series($1::int, $2::int) AS n`,
      [first, last],
    );
  await create(1, 40_000);
  let migrated = false;
  const migrating = migrate(database.url).finally(() => {
    migrated = true;
  });
  let changedMeanwhile = 0;
  for (let n = 1; !migrated; n++) {
    // From both ends, as rows are made from the first group on.
    const one = n % 2 === 0 ? n : 40_000 - n;
    const few = [one, one + 2_000, one + 4_000];
    const begun = await database.query("SELECT WHERE to_regclass('group_search') IS NOT NULL");
    if (begun.rowCount === 1 && !migrated) changedMeanwhile++;
    await database.query(
      "UPDATE user_group SET name = name || ' Straße', updated_at = now() WHERE team_id = ANY ($1)",
      [few],
    );
    await database.query("UPDATE user_group SET properties = NULL WHERE team_id = $1", [one + 1]);
    await database.query("DELETE FROM user_group WHERE team_id = $1", [one + 3]);
    await create(40_000 + n, 40_000 + n);
  }
  expect(await migrating).toEqual(migrationNames().filter((name) => LATER.test(name)));
  expect(changedMeanwhile).toBeGreaterThan(10);
  expect(await findMislaid(database.url)).toEqual([]);
  const { rows } = await database.query("SELECT count(*)::int FROM group_search");
  expect(rows[0].count).toBeGreaterThan(39_000);
  // As by a process that was killed on the way.
  await database.query("DELETE FROM group_search WHERE team_id % 1000 = 7 OR team_id > 30000");
  const rowsOfAll = migrationNames().find((name) => name.endsWith("_group_search_of_all"));
  await database.query(readFileSync(`prisma/migrations/${rowsOfAll}/migration.sql`, "utf8"));
  expect(await findMislaid(database.url)).toEqual([]);
});
