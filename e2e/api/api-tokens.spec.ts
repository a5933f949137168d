import { PRESETS } from "../../lib/authority/scopes";
import { call, expect, expectError, newId } from "../fixtures/api";
import { test as base } from "../fixtures/api-token-command";
import { tracesOf } from "../fixtures/database-dump";

interface Fixtures {
  /** creates a token with these options; returns it with its id */
  create: (...options: string[]) => Promise<{ token: string; id: string; name: string }>;
}

const test = base.extend<Fixtures>({
  create: async ({ apiToken, database }, use) => {
    await use(async (...options) => {
      const name = newId("token");
      const { code, stdout, stderr } = await apiToken("create", "--name", name, ...options);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const [row] = await database.query("SELECT id FROM api_token WHERE name = $1", [name]);
      return { token: stdout.trim(), id: String(row.id), name };
    });
  },
});

const statusOf = async (token: string, service: 0 | 1 = 0) =>
  (await call("GET", "/api/user", { token, service, body: { user_group_id: newId() } })).status;

test("create prints only the token, for the requested environment", async ({ apiToken }) => {
  for (const [options, pattern] of [
    [["--environment", "testing"], /^uga_test_[0-9A-Za-z]{49}\n$/],
    [["--environment", "production"], /^uga_live_[0-9A-Za-z]{49}\n$/],
    [[], /^uga_test_[0-9A-Za-z]{49}\n$/],
  ] as const) {
    const { code, stdout, stderr } = await apiToken("create", "--name", newId("token"), ...options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(pattern);
    expect(await statusOf(stdout.trim())).toBe(200);
  }
});

test("a token with the preset read-only changes nothing", async ({ create }) => {
  expect(await statusOf((await create("--preset", "read-only")).token)).toBe(404);
});

test("--expires accepts hours, days, weeks or a date, and an expired token is refused", { tag: "@release" }, async ({
  create,
  database,
}) => {
  const hours = 3_600_000;
  const day = new Date(Date.now() + 400 * 24 * hours).toISOString().slice(0, 10);
  for (const [expires, at] of [
    ["12h", Date.now() + 12 * hours],
    ["90d", Date.now() + 90 * 24 * hours],
    ["2w", Date.now() + 14 * 24 * hours],
    [day, Date.parse(day)],
  ] as const) {
    const { token, id } = await create("--expires", expires);
    const [row] = await database.query("SELECT expires_at FROM api_token WHERE id = $1", [id]);
    expect(Math.abs(row.expires_at.getTime() - at)).toBeLessThan(60_000);
    expect(await statusOf(token)).toBe(200);
    await database.query("UPDATE api_token SET expires_at = now() WHERE id = $1", [id]);
    expect(await statusOf(token)).toBe(401);
  }
});

for (const [what, args, reason] of [
  ["no command", [], "Give a command: create, list, replace or revoke."],
  ["an unknown command", ["make"], 'Unknown command "make".'],
  ["no name", ["create"], "--name"],
  ["a blank name", ["create", "--name", " "], "--name"],
  ["too long a name", ["create", "--name", "n".repeat(256)], "--name"],
  ["a name without its option", ["create", "ci"], 'Unexpected argument "ci".'],
  ["an unknown option", ["create", "--name", "n", "--readonly"], "--readonly"],
  ["an expiry in the past", ["create", "--name", "n", "--expires", "2020-01-31"], "in the past"],
  ["an immediate expiry", ["create", "--name", "n", "--expires", "0d"], "in the past"],
  ["a nonsensical expiry", ["create", "--name", "n", "--expires", "soon"], "--expires is invalid"],
  ["an expiry in words", ["create", "--name", "n", "--expires", "in 2030"], "--expires is invalid"],
  ["an expiry on a nonexistent day", ["create", "--name", "n", "--expires", "2031-02-30"], "--expires is invalid"],
  ["an expiry of too many days", ["create", "--name", "n", "--expires", "999999999d"], "--expires is invalid"],
] as const) {
  test(`${what} is refused in one line, and creates nothing`, async ({ apiToken }) => {
    const { code, stdout, stderr } = await apiToken(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^.+\n$/);
    expect(stderr).toContain(reason);
  });
}

test("an unknown environment is refused with a list of known ones", async ({ apiToken }) => {
  const { code, stdout, stderr } = await apiToken("create", "--environment", "staging", "--name", "n");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^Unknown environment "staging"\. Environments: production, testing(, [\w-]+)*\.\n$/);
});

test("list shows each token's details but not its value", async ({ apiToken, create, database }) => {
  const valid = await create("--preset", "read-only", "--expires", "30d");
  const refused = await create();
  await database.query(
    "UPDATE api_token SET refused_count = 1, refused_from = '198.51.100.7', refused_at = now() WHERE id = $1",
    [Number(refused.id)],
  );
  const revoked = await create("--environment", "production");
  await apiToken("revoke", revoked.id);
  const { code, stdout, stderr } = await apiToken("list");
  expect(code, stderr).toBe(0);
  const lineOf = ({ name }: { name: string }) => stdout.split("\n").find((line) => line.includes(name));
  expect(lineOf(valid)).toMatch(
    new RegExp(
      `^${valid.id} +testing .* groups:read tokens:read viewers:ask .* never +valid until 2\\d{3}-\\d\\d-\\d\\d$`,
    ),
  );
  expect(lineOf(refused)).toMatch(/ valid, refused once from outside its networks, last from 198\.51\.100\.7$/);
  expect(lineOf(revoked)).toMatch(new RegExp(`^${revoked.id} +production .* groups:write .* never +revoked 2\\d{3}`));
  for (const { token } of [valid, refused, revoked]) {
    for (const trace of tracesOf(token)) expect(stdout).not.toContain(trace);
  }
});

test("revoke stops the very next request in every service, and works once", async ({ apiToken, create }) => {
  const { token, id } = await create();
  expect(await Promise.all([statusOf(token, 0), statusOf(token, 1)])).toEqual([200, 200]);
  expect(await apiToken("revoke", id)).toMatchObject({ code: 0, stderr: "" });
  for (const service of [0, 1] as const) {
    const body = { user_group_id: newId() };
    expectError(await call("GET", "/api/user", { token, service, body }), 401, "unauthorized");
  }
  const again = await apiToken("revoke", id);
  expect(again).toMatchObject({ code: 1, stdout: "" });
  expect(again.stderr).toBe(`API token ${id} is unknown or already revoked.\n`);
});

for (const [what, args] of [
  ["no id", []],
  ["a name", ["ci"]],
  ["a token", [`uga_test_${"0".repeat(49)}`]],
  ["an unknown id", ["999999999"]],
  ["a number beyond any id", ["99999999999999999999"]],
] as const) {
  test(`revoke with ${what} fails with a clear error`, async ({ apiToken }) => {
    const { code, stdout, stderr } = await apiToken("revoke", ...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^(Give the ID that|API token 999999999 is unknown)/);
    expect(stderr).not.toContain("uga_test_");
  });
}

test("the last use is soon recorded, except for a refused token", { tag: "@release" }, async ({ create, database }) => {
  const [used, unused] = [await create(), await create()];
  const begin = Date.now();
  await statusOf(used.token);
  const lastUse = async (id: string) =>
    (await database.query("SELECT last_used_at FROM api_token WHERE id = $1", [id]))[0].last_used_at;
  await expect.poll(() => lastUse(used.id), { timeout: 20_000 }).not.toBeNull();
  expect(Math.abs((await lastUse(used.id)).getTime() - begin)).toBeLessThan(20_000);
  expect(await lastUse(unused.id)).toBeNull();
});

test("creation and revocation are in the history as the operator's, without the token", async ({
  apiToken,
  create,
  database,
}) => {
  const { token, id, name } = await create("--preset", "read-only", "--expires", "1d");
  await apiToken("revoke", id);
  const rows = await database.query(
    "SELECT * FROM audit_entry WHERE position($1 in after || coalesce(before, '')) > 0 OR position($1 in before) > 0 ORDER BY id",
    [name],
  );
  expect(rows).toMatchObject([
    { action: "api_token.created", actor_type: "operator", actor_name: expect.stringMatching(/^command line: ./) },
    { action: "api_token.revoked", actor_type: "operator", actor_name: expect.stringMatching(/^command line: ./) },
  ]);
  expect(rows.map(({ before, after }) => [JSON.parse(before), JSON.parse(after)])).toMatchObject([
    [null, { id: Number(id), name, scopes: [...PRESETS["read-only"]] }],
    [{ id: Number(id), name, scopes: [...PRESETS["read-only"]] }, null],
  ]);
  for (const trace of tracesOf(token)) expect(JSON.stringify(rows)).not.toContain(trace);
});
