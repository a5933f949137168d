import { setTimeout as sleep } from "node:timers/promises";
import { SCOPES } from "@/lib/authority/scopes";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { beginLoad } from "../fixtures/load";
import { expect, query, test } from "../fixtures/own-service";
import { command } from "../fixtures/run";
import { witnessOf } from "../fixtures/witness";

const SECRET_KEY = "5a".repeat(32);

/** The findings of `./user-groups verify --json`. */
async function verify(settings: Record<string, string>) {
  const { code, stdout, stderr } = await command(["verify", "--json"], settings);
  expect(stderr).toBe("");
  const found = JSON.parse(stdout) as {
    groups: number;
    faults: number;
    named: { team_id: number; provided_id: string; environment: string; fault: string }[];
  };
  expect(code).toBe(found.faults > 0 ? 1 : 0);
  return found;
}

test("verify finds no fault while groups change in every way, nor afterwards", { tag: "@release" }, async ({
  start,
  createDatabase,
}) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start(settings);
  const witness = witnessOf([service.url], await insertApiToken(settings, { scopes: SCOPES }), 8);
  const load = await beginLoad(witness, "verify");
  await sleep(2_000);
  for (let round = 0; round < 3; round++) expect((await verify(settings)).named).toEqual([]);
  await load.stop();
  const { groups, faults, named } = await verify(settings);
  expect({ faults, named }).toEqual({ faults: 0, named: [] });
  expect(groups).toBeGreaterThan(20);
});

test("each fault is found, and no other group is blamed", async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start(settings);
  const { get, put, rename, rotate } = clientOf(service.url, await insertApiToken(settings));
  const ids = new Map<string, number>();
  for (const id of [
    "sound",
    "name",
    "mapping",
    "properties",
    "end",
    "token",
    "state",
    "gone",
    "unknown",
    "revived",
    "search",
    "unlisted",
    "ghost",
    "twin-1",
    "twin-2",
    "quiet",
  ]) {
    const fields = { name: id, mapping: { 1: "2" }, properties: { n: 12345678901234567890n.toString() } };
    const made = await get(id, fields);
    expect(made.status, made.text).toBe(200);
    const { user_group } = made.json;
    await put(id, { properties: { "ä\\": [1.0] } });
    if (id === "sound") {
      await rotate(user_group.token);
      expect((await rename(id, "renamed")).status).toBe(200);
    }
    ids.set(id, user_group.team_id);
  }
  // As for a group whose months were dropped before it was suspended.
  await query(
    settings.DATABASE_URL,
    `SET session_replication_role = replica; DELETE FROM audit_entry WHERE team_id = ${ids.get("quiet")}`,
  );
  const suspended = await fetch(`${service.url}/api/user-groups/suspend`, {
    method: "POST",
    headers: {
      authorization: `Token ${await insertApiToken(settings, { scopes: SCOPES })}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ user_group_id: "quiet" }),
  });
  expect(suspended.status).toBe(200);
  expect(await verify(settings)).toMatchObject({ groups: ids.size, faults: 0 });
  const alter = (text: string) => query(settings.DATABASE_URL, text);
  await alter("UPDATE user_group SET name = 'Another' WHERE provided_id = 'name'");
  // The same values, spelled differently.
  await alter(`UPDATE user_group SET mapping = '{"1": "2"}' WHERE provided_id = 'mapping'`);
  await alter("UPDATE user_group SET properties = NULL WHERE provided_id = 'properties'");
  await alter("UPDATE user_group SET access_ends_at = '2031-01-01' WHERE provided_id = 'end'");
  await alter("UPDATE user_group SET token_index = sha256('x') WHERE provided_id = 'token'");
  await alter("UPDATE user_group SET state = 'suspended' WHERE provided_id = 'state'");
  await alter("DELETE FROM user_group WHERE provided_id = 'gone'");
  await alter(`SET session_replication_role = replica; DELETE FROM audit_entry WHERE team_id = ${ids.get("unknown")}`);
  await alter(
    `INSERT INTO audit_entry (environment_id, team_id, action, actor_type, actor_name, before)
     SELECT environment_id, team_id, 'user_group.deleted', 'operator', 'test', after FROM audit_entry WHERE team_id = ${ids.get("revived")} ORDER BY id DESC LIMIT 1`,
  );
  await alter("UPDATE group_search SET sort_name = 'other' WHERE provided_id = 'search'");
  await alter("DELETE FROM group_search WHERE provided_id = 'unlisted'");
  await alter(
    "INSERT INTO group_search SELECT 9999, environment_id, 'nobody', sort_name, search_text, properties, updated_at FROM group_search WHERE provided_id = 'ghost'",
  );
  await alter("DROP INDEX user_group_environment_id_provided_id_key; ALTER TABLE user_group DISABLE TRIGGER USER");
  await alter("UPDATE user_group SET provided_id = 'twin-1' WHERE provided_id = 'twin-2'");
  const found = await verify(settings);
  const faults = found.named.map(({ team_id, fault }) => `${[...ids].find(([, n]) => n === team_id)?.[0]}: ${fault}`);
  expect(faults.toSorted()).toEqual(
    [
      "name: differs from the history: name",
      "mapping: differs from the history: mapping",
      "properties: differs from the history: properties",
      "end: differs from the history: end of access",
      "token: differs from the history: token",
      "token: its token does not open with SECRET_KEY",
      "state: differs from the history: state",
      "gone: the row is gone, but the history has no deletion",
      "unknown: the history has no entry for it",
      "revived: it exists, but its last entry is its deletion",
      "search: outdated in lists and searches",
      "unlisted: missing from lists and searches",
      "undefined: still in lists and searches",
      "twin-1: another group has the same id",
      "twin-2: another group has the same id",
      "twin-2: differs from the history: id",
      "twin-2: outdated in lists and searches",
      "twin-2: its token does not open with SECRET_KEY",
    ].toSorted(),
  );
  expect(found.faults).toBe(faults.length);
  const { stdout, code } = await command(["verify"], settings);
  expect(code).toBe(1);
  expect(stdout).toContain(`${ids.size - 1} user groups checked, with ${faults.length} faults:`);
  expect(stdout).toMatch(/^\d+ +testing +"name" +differs from the history: name$/m);
});

const NOT_AS = "differs from the history: ";
const PREVIOUS_NOT_AS = "its previous token differs from the history: ";

/** Manual alterations: the name of the group, `where` its row is, and the expected fault. */
const DAMAGES: [name: string, where: string, set: string, fault: string][] = [
  ["environment", "user_group", "environment_id = 1", `${NOT_AS}environment`],
  ["id", "user_group", "provided_id = 'another'", `${NOT_AS}id`],
  ["name", "user_group", "name = 'Another'", `${NOT_AS}name`],
  ["mapping", "user_group", `mapping = '{"1":"3"}'`, `${NOT_AS}mapping`],
  ["properties", "user_group", "properties = NULL", `${NOT_AS}properties`],
  ["end of access", "user_group", "access_ends_at = '2031-01-01'", `${NOT_AS}end of access`],
  ["token", "user_group", "token_index = sha256('x')", `${NOT_AS}token`],
  ["sealed token", "user_group", "token_sealed = token_index", "its token does not open with SECRET_KEY"],
  ["state", "user_group", "state = 'suspended'", `${NOT_AS}state`],
  ["lower version", "user_group", "version = version - 1", `${NOT_AS}version`],
  ["higher version", "user_group", "version = version + 1", `${NOT_AS}version`],
  ["lower generation", "user_group", "gen = gen - 1", `${NOT_AS}generation`],
  ["higher generation", "user_group", "gen = gen + 9", `${NOT_AS}generation`],
  ["origins", "user_group", "allowed_origins = '{https://evil.example}'", `${NOT_AS}allowed origins`],
  ["first origins", "user_group", "allowed_origins = '{https://evil.example}'", `${NOT_AS}allowed origins`],
  ["creation", "user_group", "created_at = created_at - interval '1 day'", `${NOT_AS}time of creation`],
  ["change", "user_group", "updated_at = updated_at + interval '1 day'", `${NOT_AS}time of the last change`],
  ["rotation", "user_group", "rotated_at = rotated_at - interval '1 day'", `${NOT_AS}time of the last rotation`],
  ["number", "user_group", "team_id = 2147483647", "the row is gone, but the history has no deletion"],
  ["search", "group_search", "sort_name = 'another'", "outdated in lists and searches"],
  ["deleted name", "deleted_group", "name = 'Another'", `${NOT_AS}name`],
  ["deleted version", "deleted_group", "version = 7", `${NOT_AS}version`],
  ["deleted generation", "deleted_group", "gen = 1", `${NOT_AS}generation`],
  ["deleted origins", "deleted_group", "allowed_origins = NULL", `${NOT_AS}allowed origins`],
  ["deleted time", "deleted_group", "deleted_at = now() + interval '1 day'", `${NOT_AS}time of deletion`],
  ["deleted token", "deleted_group", "token_sealed = token_index", "its token does not open with SECRET_KEY"],
  ["previous end", "previous_token", "valid_until = valid_until + interval '3 days'", `${PREVIOUS_NOT_AS}end`],
  ["previous token", "previous_token", "token_index = sha256('y')", `${PREVIOUS_NOT_AS}token`],
  [
    "previous rotation",
    "previous_token",
    "replaced_at = replaced_at - interval '1 day'",
    "its previous token is gone before the end of its overlap",
  ],
];

test("every manual alteration is named, and a huge number takes one step", async ({ start, createDatabase }) => {
  const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY };
  const service = await start(settings);
  const token = await insertApiToken(settings, { scopes: SCOPES });
  const { get, put } = clientOf(service.url, token);
  const send = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Token ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${service.url}${path}`, { method, headers, body: JSON.stringify(body) });
    expect(answer.status, await answer.text()).toBe(200);
  };
  const teams = new Map<string, number>();
  const make = async (id: string, where: string) => {
    const fields = { mapping: { 1: "2" }, properties: { plan: "pro" } };
    const made = await get(id, fields);
    expect(made.status, made.text).toBe(200);
    const { user_group } = made.json;
    const user_group_id = id;
    await put(id, { name: `${id} of old` });
    if (!id.includes("first")) {
      await send("PUT", "/api/user-groups/allowed-origins", { user_group_id, allowed_origins: ["https://a.example"] });
    }
    await send("POST", "/api/user-groups/end-views", { user_group_id });
    const overlap_seconds = where === "previous_token" ? 86_400 : 0;
    await send("POST", "/api/user", { current_token: user_group.token, overlap_seconds });
    if (where === "deleted_group") await send("DELETE", "/api/user", { user_group_id });
    teams.set(id, user_group.team_id);
  };
  for (const [name, where] of DAMAGES) await make(name, where);
  for (const where of ["user_group", "deleted_group", "previous_token"]) await make(`sound ${where}`, where);
  expect(await verify(settings)).toMatchObject({ faults: 0 });
  for (const [name, where, set] of DAMAGES) {
    await query(
      settings.DATABASE_URL,
      `SET session_replication_role = replica; UPDATE ${where} SET ${set} WHERE team_id = ${teams.get(name)}`,
    );
  }
  const begin = performance.now();
  const { named } = await verify(settings);
  expect(performance.now() - begin).toBeLessThan(30_000);
  const faultsOf = (id: string) => named.filter(({ team_id }) => team_id === teams.get(id)).map(({ fault }) => fault);
  for (const [name, , , fault] of DAMAGES) expect(faultsOf(name), name).toContain(fault);
  for (const [id] of teams) if (id.startsWith("sound")) expect(faultsOf(id), id).toEqual([]);
  expect(named.filter(({ team_id }) => team_id === 2_147_483_647).map(({ fault }) => fault)).toContain(
    "its number was never assigned",
  );
});
