import { request } from "undici";
import { apiTokenList, changedApiToken, createdApiToken } from "@/lib/api-tokens/schema";
import { adminClient } from "../fixtures/admin-client";
import { call, expect, expectError, newId, test as onStage } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { query, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";
import type { Stage } from "../fixtures/stage";

const PATH = "/api/admin/api-tokens";
const SECRET_KEY = "89abcdef01234567".repeat(4);
/** The service's row of api_token. */
const NOTED =
  "SELECT refused_count AS count, refused_from AS from, last_used_at AS used FROM api_token WHERE name = 'ci'";

test("refusals by network are counted with the last address, and written only occasionally", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
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

onStage(
  "the list says how often a token was refused, from where, and when",
  { tag: "@release" },
  async ({ database }) => {
    onStage.setTimeout(60_000);
    const { send } = await adminClient(database, "admin");
    const body = {
      name: newId("token"),
      scopes: ["viewers:ask"],
      allowedNetworks: ["203.0.113.0/24"],
      expiresAt: null,
    };
    const { token, apiToken } = createdApiToken.parse((await send("POST", PATH, body)).json);
    expect(apiToken.refused).toBeNull();
    for (const from of ["127.0.0.3", "127.0.0.2"]) {
      expectError(await call("POST", "/api/viewer", { token, from, body: { token: "ugt_" } }), 401, "unauthorized");
    }
    const refused = async () =>
      apiTokenList.parse((await send("GET", PATH)).json).apiTokens.find(({ id }) => id === apiToken.id)?.refused ??
      null;
    await expect.poll(refused, { timeout: 25_000 }).toEqual({ count: 2, from: "127.0.0.2", at: expect.any(String) });
  },
);

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

const settings = ({ databaseUrl, secretKey }: Stage) => ({ DATABASE_URL: databaseUrl, SECRET_KEY: secretKey });
const fromHere = (token: string, service: 0 | 1 = 0) =>
  call("POST", "/api/viewer", { token, service, body: { token: "ugt_" } });

onStage(
  "networks are changed from the next call on, with a warning to who is outside, and recorded",
  async ({ database }) => {
    const { send, member } = await adminClient(database, "admin");
    const body = { name: newId("token"), scopes: ["viewers:ask"], expiresAt: null };
    const { token, apiToken } = createdApiToken.parse((await send("POST", PATH, body)).json);
    expect((await fromHere(token)).status).toBe(200);
    const changes: [networks: string[] | null, warnings: string[], status: number][] = [
      [["203.0.113.0/24"], ["Your own address 127.0.0.1 is not in these networks."], 401],
      [["127.0.0.0/8", "2001:db8::/32"], [], 200],
      [["::ffff:127.0.0.1/128"], [], 200],
      [["198.51.100.0/24"], ["Your own address 127.0.0.1 is not in these networks."], 401],
      [null, [], 200],
    ];
    for (const [allowedNetworks, warnings, status] of changes) {
      const response = await send("PATCH", `${PATH}/${apiToken.id}`, { allowedNetworks });
      expect(response.status, response.text).toBe(200);
      expect(changedApiToken.parse(response.json)).toMatchObject({
        warnings,
        apiToken: { id: apiToken.id, allowedNetworks: allowedNetworks ?? [] },
      });
      for (const service of [0, 1] as const) expect((await fromHere(token, service)).status).toBe(status);
    }
    const rows = await database.query(
      "SELECT before, after FROM audit_entry WHERE actor_id = $1 AND action = 'api_token.networks_changed' ORDER BY id",
      [member.id],
    );
    expect(rows.map(({ before, after }) => [before, after].map((text) => JSON.parse(text).allowed_networks))).toEqual(
      changes.map(([networks], index) => [changes[index - 1]?.[0] ?? [], networks ?? []]),
    );
  },
);

onStage(
  "networks are not changed of a token that has ended, was altered, predates them or is another environment's",
  async ({ stage, database }) => {
    const { send } = await adminClient(database, "admin");
    const fields = { scopes: ["viewers:ask"], expiresAt: null };
    const create = async () => createdApiToken.parse((await send("POST", PATH, { ...fields, name: newId() })).json);
    const change = (id: number, environment?: string) =>
      send("PATCH", `${PATH}/${id}`, { allowedNetworks: ["127.0.0.0/8"] }, environment);
    const { apiToken: revoked } = await create();
    await send("DELETE", `${PATH}/${revoked.id}`);
    expectError(await change(revoked.id), 404, "not_found");
    const { apiToken: expired } = await create();
    await database.query("UPDATE api_token SET expires_at = now() WHERE id = $1", [expired.id]);
    expectError(await change(expired.id), 404, "not_found");
    const { apiToken: altered, token } = await create();
    await database.query("UPDATE api_token SET scopes = '{groups:purge}' WHERE id = $1", [altered.id]);
    expectError(await change(altered.id), 409, "conflict");
    expectError(await fromHere(token), 401, "unauthorized");
    const name = newId("early");
    const early = await insertApiToken(settings(stage), { name });
    const [{ id }] = await database.query("SELECT id FROM api_token WHERE name = $1", [name]);
    expectError(await change(id), 409, "conflict");
    expect((await fromHere(early)).status).toBe(200);
    const { apiToken: other } = await create();
    expectError(await change(other.id, "production"), 404, "not_found");
    for (const allowedNetworks of [[], undefined, "127.0.0.0/8", ["127.0.0.1"]]) {
      expectError(await send("PATCH", `${PATH}/${other.id}`, { allowedNetworks }), 422, "invalid_fields");
    }
  },
);
