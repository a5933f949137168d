import { call, createGroup, expect, expectError, newId, test } from "../fixtures/api";

// The database keeps environments apart even if a statement of ours forgets to.

for (const change of ["environment_id = 1", "provided_id = provided_id || 'x'", "team_id = team_id + 1000000000"]) {
  test(`the database refuses to set ${change} on a group`, async ({ database }) => {
    const { team_id } = await createGroup();
    const attempt = database.query(`UPDATE user_group SET ${change} WHERE team_id = $1`, [team_id]);
    await expect(attempt).rejects.toThrow("never changes its environment");
  });
}

test("a token row copied into another environment is an error there, and reveals nothing", async ({
  stage,
  database,
}) => {
  const { team_id, token } = await createGroup({}, { token: stage.tokens.production });
  const providedId = newId("planted");
  await database.query(
    `INSERT INTO user_group (environment_id, provided_id, name, token_index, token_sealed)
     SELECT (SELECT id FROM environment WHERE slug = 'testing'), $2, name, sha256(token_index), token_sealed
     FROM user_group WHERE team_id = $1`,
    [team_id, providedId],
  );
  const got = expectError(await call("GET", "/api/user", { body: { user_group_id: providedId } }), 500, "internal");
  expect(got.text).not.toContain(token.slice(4));
  // The group is still found in its own environment, but not with the other one's token.
  expectError(await call("POST", "/api/user", { body: { current_token: token } }), 404, "unknown_token");
  await database.query("DELETE FROM user_group WHERE provided_id = $1", [providedId]);
});
