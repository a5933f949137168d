import { SCOPE_WORDS } from "@/lib/authority/scope-words";
import { PRESETS, type Preset, SCOPES } from "@/lib/authority/scopes";
import { test as base, call, createGroup, expect, expectError, newId } from "../fixtures/api";
import { command } from "../fixtures/run";

interface Fixtures {
  /** creates an API token of Testing with these options */
  create: (...options: string[]) => Promise<string>;
}

const test = base.extend<Fixtures>({
  create: async ({ stage }, use) => {
    const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
    await use(async (...options) => {
      const { code, stdout, stderr } = await command(["api-token", "create", "--name", newId(), ...options], settings);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return stdout.trim();
    });
  },
});

/** Each preset's status for an existing group, an unknown id, a change, a rotation and a viewer check. */
const ANSWERS: Record<Preset, number[]> = {
  renderer: [403, 403, 403, 403, 200],
  backend: [200, 200, 200, 200, 200],
  "read-only": [200, 404, 403, 403, 200],
  full: [200, 200, 200, 200, 200],
};

for (const [preset, answers] of Object.entries(ANSWERS)) {
  test(`the preset ${preset} allows exactly the calls it describes`, async ({ create, database }) => {
    const token = await create("--preset", preset);
    const group = await createGroup();
    const unknown = newId();
    const calls: [string, string, object][] = [
      ["GET", "/api/user", { user_group_id: group.provided_id }],
      ["GET", "/api/user", { user_group_id: unknown }],
      ["PUT", "/api/user", { user_group_id: group.provided_id, name: "Changed" }],
      ["POST", "/api/user", { current_token: group.token }],
      ["POST", "/api/viewer", { token: group.token }],
    ];
    const statuses: number[] = [];
    for (const [method, path, body] of calls) {
      const answer = await call(method, path, { token, body });
      statuses.push(answer.status);
      if (answer.status === 403) expectError(answer, 403, "forbidden");
      if (answer.status === 404) expectError(answer, 404, "unknown_user_group");
    }
    expect(statuses).toEqual(answers);
    const made = await database.query("SELECT FROM user_group WHERE provided_id = $1", [unknown]);
    expect(made.length).toBe(answers[1] === 200 ? 1 : 0);
  });
}

test("a missing scope is named, and an answer with a token needs tokens:read", async ({ create }) => {
  const { provided_id } = await createGroup();
  const body = { user_group_id: provided_id, name: "Changed" };
  const writer = await create("--scopes", "groups:write,groups:create");
  const refused = await call("PUT", "/api/user", { token: writer, body });
  expectError(refused, 403, "forbidden");
  expect(refused.json.error.message).toContain("tokens:read");
  expect((await call("GET", "/api/user", { body: { user_group_id: provided_id } })).json.user_group.name).not.toBe(
    "Changed",
  );
});

test("groups:write alone can discover values by dry runs, as its description says", async ({ create }) => {
  const { provided_id } = await createGroup({ properties: { plan: "pro" } });
  const token = await create("--scopes", "groups:write");
  const outcomeOf = async (plan: string) => {
    const user_groups = [{ user_group_id: provided_id, properties: { plan } }];
    const { text, json } = await call("POST", "/api/user-groups/batch", {
      token,
      body: { mode: "update", dry_run: true, user_groups },
    });
    expect(text).not.toContain("pro");
    return json.results[0].outcome;
  };
  expect([await outcomeOf("free"), await outcomeOf("pro")]).toEqual(["changed", "same"]);
  expect(SCOPE_WORDS["groups:write"]).toContain("dry runs tell whether a guessed value is the stored one");
});

test("presets contain only known scopes, and an unknown scope is refused", async ({ stage }) => {
  for (const scopes of Object.values(PRESETS)) expect(SCOPES).toEqual(expect.arrayContaining([...scopes]));
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  for (const [options, reason] of [
    [["--preset", "root"], 'Unknown preset "root": use renderer, backend, read-only, full.'],
    [["--scopes", "groups:own"], "--scopes: must be one of groups:read,"],
    [["--network", "203.0.113.0"], "--network: must be a network, as in 203.0.113.0/24."],
  ] as const) {
    const { code, stdout, stderr } = await command(["api-token", "create", "--name", newId(), ...options], settings);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(reason);
  }
});

test("a token is accepted only from its networks, and elsewhere gets the ordinary 401", async ({ create }) => {
  const token = await create("--network", "127.0.0.8/29", "--network", "2001:db8::/32");
  const body = { user_group_id: newId() };
  expect((await call("GET", "/api/user", { token, body, from: "127.0.0.9" })).status).toBe(200);
  const outside = await call("GET", "/api/user", { token, body, from: "127.0.0.2" });
  expectError(outside, 401, "unauthorized");
  const unknown = await call("GET", "/api/user", { token: "uga_test_none", body, from: "127.0.0.2" });
  const without = ({ text, json }: typeof outside) => text.replace(json.error.request_id, "");
  expect(without(outside)).toBe(without(unknown));
});
