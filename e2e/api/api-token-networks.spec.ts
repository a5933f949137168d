import { request } from "undici";
import { apiTokenList, createdApiToken } from "@/lib/api-tokens/schema";
import { adminClient } from "../fixtures/admin-client";
import { call, expect, expectError, newId, test as onStage } from "../fixtures/api";
import { query, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";

const PATH = "/api/admin/api-tokens";
const SECRET_KEY = "89abcdef01234567".repeat(4);
/** The row of api_token that the own service's database has. */
const NOTED =
  "SELECT refused_count AS count, refused_from AS from, last_used_at AS used FROM api_token WHERE name = 'ci'";

test("refusals by network are counted with the last address, and written down a few times only", async ({
  start,
  createDatabase,
}) => {
  test.setTimeout(120_000);
  const url = await createDatabase();
  const settings = { DATABASE_URL: url, SECRET_KEY, TRUSTED_PROXIES: "1", RATE_LIMIT_REFUSALS: "1000000" };
  const options = ["--name", "ci", "--network", "203.0.113.0/24", "--network", "2001:db8::/32"];
  const made = await command(["api-token", "create", ...options], settings);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const token = made.stdout.trim();
  await query(
    url,
    `CREATE TABLE written (count int);
     CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO written VALUES (NEW.refused_count); RETURN NEW; END $$;
     CREATE TRIGGER note_write AFTER UPDATE OF refused_count ON api_token FOR EACH ROW EXECUTE FUNCTION note_write()`,
  );
  const service = await start(settings);
  const ask = async (from: string, credential = token) => {
    const headers = { authorization: `Token ${credential}`, "x-forwarded-for": from };
    const { statusCode, body } = await request(`${service.url}/api/diagnosis`, { headers });
    return { status: statusCode, text: (await body.text()).replace(/"request_id":"[^"]*"/, "") };
  };

  for (const outside of ["203.0.114.9", "::ffff:203.0.114.9", "::ffff:cb00:7209", "2001:db9::1", "unknown"]) {
    expect(await ask(outside), outside).toEqual(await ask(outside, "uga_test_none"));
    expect((await ask(outside)).status, outside).toBe(401);
  }
  const answers = await Promise.all(Array.from({ length: 190 }, () => ask("198.51.100.7")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
  await expect
    .poll(async () => (await query(url, NOTED))[0], { timeout: 25_000 })
    .toEqual({ count: 200, from: "198.51.100.7", used: null });
  expect((await query(url, "SELECT FROM written")).length).toBeLessThan(10);

  for (const inside of ["203.0.113.9", "::ffff:203.0.113.9", "::ffff:cb00:7109", "203.0.113.9:4711", "2001:db8:1::9"]) {
    expect((await ask(inside)).status, inside).toBe(200);
  }
  await expect.poll(async () => (await query(url, NOTED))[0]?.used, { timeout: 25_000 }).not.toBeNull();
  expect((await query(url, NOTED))[0]).toMatchObject({ count: 200, from: "198.51.100.7" });
  const { stdout } = await command(["api-token", "list"], settings);
  expect(stdout).toContain("refused 200 times from outside its networks, last from 198.51.100.7");
});

onStage("the list says how often a token was refused, from where, and when", async ({ database }) => {
  onStage.setTimeout(60_000);
  const { send } = await adminClient(database, "admin");
  const body = { name: newId("token"), scopes: ["viewers:ask"], allowedNetworks: ["203.0.113.0/24"], expiresAt: null };
  const { token, apiToken } = createdApiToken.parse((await send("POST", PATH, body)).json);
  expect(apiToken.refused).toBeNull();
  for (const from of ["127.0.0.3", "127.0.0.2"]) {
    expectError(await call("POST", "/api/viewer", { token, from, body: { token: "ugt_" } }), 401, "unauthorized");
  }
  const refused = async () =>
    apiTokenList.parse((await send("GET", PATH)).json).apiTokens.find(({ id }) => id === apiToken.id)?.refused ?? null;
  await expect.poll(refused, { timeout: 25_000 }).toEqual({ count: 2, from: "127.0.0.2", at: expect.any(String) });
});

for (const [networks, warnings] of [
  [["203.0.113.0/24"], ["Your own address 127.0.0.1 is not in these networks."]],
  [["203.0.113.0/24", "2001:db8::/32"], ["Your own address 127.0.0.1 is not in these networks."]],
  [["203.0.113.0/24", "127.0.0.0/8"], []],
  [["0.0.0.0/0"], []],
  [undefined, []],
] as const) {
  onStage(`a member who sets the networks ${networks ?? "of nothing"} is warned if outside`, async ({ database }) => {
    const { send } = await adminClient(database, "admin");
    const fields = { name: newId("token"), scopes: ["tokens:read"], expiresAt: null };
    const response = await send("POST", PATH, { ...fields, ...(networks && { allowedNetworks: networks }) });
    expect(response.status, response.text).toBe(200);
    const made = createdApiToken.parse(response.json);
    expect(made.warnings).toEqual(warnings);
    expect(made.apiToken.allowedNetworks).toEqual(networks ?? []);
    const asked = await call("GET", "/api/user", { token: made.token, body: { user_group_id: newId() } });
    expect(asked.status).toBe(warnings.length > 0 ? 401 : 404);
  });
}

for (const [what, allowedNetworks, path] of [
  ["an empty list", [], "allowedNetworks"],
  ["null", null, "allowedNetworks"],
  ["a text", "203.0.113.0/24", "allowedNetworks"],
  ["an address", ["203.0.113.9"], "allowedNetworks.0"],
  ["too large a prefix", ["203.0.113.0/33"], "allowedNetworks.0"],
  ["51 networks", Array(51).fill("203.0.113.0/24"), "allowedNetworks"],
] as const) {
  onStage(`${what} for the networks is refused`, async ({ database }) => {
    const { send, member } = await adminClient(database, "admin");
    const body = { name: newId("token"), scopes: ["tokens:read"], allowedNetworks, expiresAt: null };
    const { json } = expectError(await send("POST", PATH, body), 422, "invalid_fields");
    expect(json.error.issues.map((issue: { path: (string | number)[] }) => issue.path.join("."))).toEqual([path]);
    expect(await database.query("SELECT FROM api_token WHERE created_by = $1", [member.name])).toEqual([]);
  });
}
