import { closePool, openPool } from "../../lib/db/pool";
import { findGroup } from "../../lib/store/group-row";
import { adminClient, makeGroup } from "../fixtures/admin-client";
import { expect, newId, test } from "../fixtures/api";
import { stage } from "../fixtures/stage";

test("a look-up by id or token shows a group's state, access_ends_at and generation", async ({ database }) => {
  const providedId = newId();
  const { teamId } = await makeGroup(await adminClient(database), providedId);
  const [{ environment_id, token_index: tokenIndex }] = await database.query(
    "SELECT environment_id, token_index FROM user_group WHERE team_id = $1",
    [teamId],
  );
  openPool(stage().databaseUrl, 2);
  try {
    for (const key of [{ providedId }, { tokenIndex }]) {
      expect(await findGroup(environment_id, key)).toMatchObject({ state: "active", access_ends_at: null, gen: 1 });
    }
    const ends = new Date("2027-01-02T03:04:05.678Z");
    await database.query(
      "UPDATE user_group SET state = 'suspended', access_ends_at = $2, gen = 7, mapping = '{\"40\":\"1\"}' WHERE team_id = $1",
      [teamId, ends],
    );
    const changed = { state: "suspended", access_ends_at: ends, gen: 7 };
    expect(await findGroup(environment_id, { providedId })).toMatchObject(changed);
    expect(await findGroup(environment_id, { tokenIndex })).toMatchObject({ ...changed, mapping: '{"40":"1"}' });
  } finally {
    await closePool();
  }
});
