import { call, createGroup, expect, test } from "../fixtures/api";
import { command } from "../fixtures/run";

const view = async (token: string) => (await call("POST", "/api/viewer", { body: { token } })).json;

test("the command rotates a group's token with an overlap, prints the new one, and ends the overlap", async ({
  stage,
  database,
}) => {
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const run = (...args: string[]) => command(["user-group-token", ...args], settings);
  const { provided_id, team_id, token: old } = await createGroup();
  const rotated = await run("rotate", provided_id, "--overlap", "1h");
  expect(rotated, rotated.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ugt_\w+\n$/) });
  const token = rotated.stdout.trim();
  expect(await view(token)).toMatchObject({ active: true, user_group: { team_id } });
  expect(await view(old)).toMatchObject({ active: true, token_state: "previous" });
  expect(await run("rotate", provided_id, "--overlap", "1h")).toMatchObject({
    ...{ code: 1, stdout: "", stderr: expect.stringContaining("overlap") },
  });
  expect(await run("end-overlap", provided_id)).toMatchObject({ code: 0, stdout: "The old token no longer works.\n" });
  expect((await view(old)).active).toBe(false);
  expect((await run("end-overlap", provided_id)).stdout).toBe("No old token was valid. Nothing has changed.\n");
  expect((await run("rotate", provided_id)).code).toBe(0);
  expect((await view(token)).active).toBe(false);
  const entries = await database.query(
    "SELECT action, actor_type FROM audit_entry WHERE team_id = $1 AND action <> 'user_group.created' ORDER BY id",
    [team_id],
  );
  expect(entries).toEqual(
    ["token_rotated", "overlap_ended", "token_rotated"].map((what) => ({
      ...{ action: `user_group.${what}`, actor_type: "operator" },
    })),
  );
});

for (const { args, says } of [
  { args: ["rotate"], says: "Give the user group's id." },
  { args: ["rotate", "a", "--overlap", "2h"], says: '--overlap is invalid: "2h". Use 0, 1h, 24h, 7d.' },
  { args: ["end-overlap", "a", "--overlap", "1h"], says: "--overlap belongs to rotate." },
  { args: ["rotate", "a", "b"], says: 'Unexpected argument "b".' },
  { args: ["reveal", "a"], says: "Give a command: rotate, end-overlap or rotate-replaced." },
  { args: ["rotate", "a", "--environment", "none"], says: 'Unknown environment "none".' },
  { args: ["end-overlap", "no such group"], says: "There is no user group" },
]) {
  test(`it refuses: ${args.join(" ")}`, async ({ stage }) => {
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    const { code, stdout, stderr } = await command(["user-group-token", ...args], settings);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(says);
  });
}
