import { readFileSync } from "node:fs";
import { foundTokenAnswer } from "@/lib/groups/token-schema";
import { type AdminClient, adminClient, createEnvironment, makeGroup } from "../fixtures/admin-client";
import { call, expect, expectError, newId, test } from "../fixtures/api";

/** A token without a group, with a valid checksum. */
const UNKNOWN = "ugt_aTokenThatNoGroupHas000000000000000000000001yCmcm";

async function find(client: AdminClient, text: string) {
  const response = await client.act("find-by-token", { text });
  expect(response.status, response.text).toBe(200);
  return foundTokenAnswer.parse(response.json);
}

test("a token is found bare, in a snippet and in a URL", async ({ database }) => {
  const slug = await createEnvironment(database);
  const client = await adminClient(database, "admin", slug);
  const { teamId, token, providedId } = await makeGroup(client, newId());
  const expected = {
    success: 1,
    found: "current",
    user_group: { team_id: teamId, provided_id: providedId, name: providedId, environment: { slug, name: slug } },
  };
  for (const text of [
    token,
    `  ${token}\n`,
    `<Dashboard userGroupToken="${token}" />`,
    `{"userGroupToken":"${token}"}`,
    `https://example.com/embed?token=${token}&theme=dark`,
    `https%3A%2F%2Fexample.com%2F%3Ftoken%3D${token}%26x`,
    `USER_GROUP_TOKEN=${token}`,
    `ugt_${"A".repeat(49)} ${token}`,
  ]) {
    expect(await find(client, text), text).toEqual(expected);
  }
});

test("a token without its prefix is found, and so is an id that looks like one", async ({ database }) => {
  const slug = await createEnvironment(database);
  const client = await adminClient(database, "admin", slug);
  const { teamId, token, providedId } = await makeGroup(client, newId());
  const user_group = { team_id: teamId, provided_id: providedId, name: providedId, environment: { slug, name: slug } };
  const bare = token.slice("ugt_".length);
  for (const text of [
    bare,
    ` "${bare}"`,
    `t_${bare}`,
    `${"A".repeat(49)} ${bare}`,
    `-d '{"current_token":"${bare}"}'`,
  ]) {
    expect(await find(client, text), text).toEqual({ success: 1, found: "current", user_group });
  }
  const id = `cus-${"0f1e2d3c4b5a6978".repeat(4)}`;
  const { teamId: idTeam } = await makeGroup(client, id);
  for (const text of [id, ` "${id}" `]) {
    expect(await find(client, text), text).toMatchObject({
      found: "id",
      user_group: { team_id: idTeam, provided_id: id },
    });
  }
  expect(await find(client, "A".repeat(49))).toEqual({ success: 1, found: "unknown" });
  expect(await find(client, `${bare}A`)).toEqual({ success: 1, found: "unknown" });
});

test("a rotated token shows when and by whom, a deleted group's that it was deleted", async ({ database }) => {
  const client = await adminClient(database);
  const { teamId, token, providedId } = await makeGroup(client, newId());
  const rotated = (await client.user("POST", { current_token: token })).json.user_group.token;
  const by = { type: "member", id: client.member.id, name: `Member ${client.member.id}` };
  const environment = { slug: "testing", name: "Testing" };
  const group = { team_id: teamId, provided_id: providedId, name: providedId, environment };
  expect(await find(client, token)).toMatchObject({ found: "rotated", by, user_group: { ...group, exists: true } });
  await client.user("DELETE", { user_group_id: providedId });
  expect(await find(client, token)).toMatchObject({ found: "rotated", by, user_group: { ...group, exists: false } });
  expect(await find(client, rotated)).toMatchObject({ found: "deleted", by, user_group: { ...group, exists: false } });
  await client.act("restore", { user_group_id: providedId });
  expect(await find(client, rotated)).toEqual({ success: 1, found: "current", user_group: group });
});

test("unknown, mistyped and non-tokens are distinguished", async ({ database }) => {
  const client = await adminClient(database);
  const { token } = await makeGroup(client, newId());
  const other = token.endsWith("0") ? "1" : "0";
  for (const [text, found] of [
    [token.slice(0, -1) + other, "mistyped"],
    [token.slice(0, -1), "mistyped"],
    [token.toLowerCase(), "mistyped"],
    ["ugt_", "mistyped"],
    ["", "not_a_token"],
    ["acme", "not_a_token"],
    [UNKNOWN, "unknown"],
  ] as const) {
    expect(await find(client, text), text).toEqual({ success: 1, found });
  }
  expectError(await client.act("find-by-token", {}), 422, "invalid_fields");
  expectError(await client.act("find-by-token", { text: "x".repeat(100_001) }), 422, "invalid_fields");
});

test("a long text of white space keeps nobody waiting", async ({ database }) => {
  const client = await adminClient(database);
  const begun = Date.now();
  for (const gap of [" ", "'", ";"]) {
    const text = `a${gap.repeat(99_900)}${"b".repeat(40)}`;
    expect(await find(client, text)).toEqual({ success: 1, found: "unknown" });
  }
  // Each took a processor for seven seconds or more.
  expect(Date.now() - begun).toBeLessThan(5_000);
});

test("an API token is recognised, and no part of it revealed", async ({ database, stage }) => {
  const client = await adminClient(database);
  const expected = { success: 1, found: "api_token", name: "e2e", state: "valid" };
  expect(await find(client.in("production"), `Authorization: Token ${stage.tokens.production}`)).toEqual({
    ...expected,
    environment: { slug: "production", name: "Production" },
  });
  const { token } = await makeGroup(client, newId());
  await find(client, token);
  for (const log of stage.logs) {
    const text = readFileSync(log, "utf8");
    expect(text).not.toContain(token.slice(4, 20));
    expect(text).not.toContain(stage.tokens.production.slice(9, 25));
  }
  const viewer = await adminClient(database, "viewer");
  expectError(await viewer.act("find-by-token", { text: token }), 403, "forbidden");
});

test("a member finds only tokens of the current environment", async ({ database, stage }) => {
  const client = await adminClient(database, "admin", await createEnvironment(database));
  const id = `cus-${"0f1e2d3c4b5a6978".repeat(4)}`;
  const { token } = await makeGroup(client, newId());
  await makeGroup(client, id);
  const rotated = (await client.user("POST", { current_token: token })).json.user_group;
  const deleted = await makeGroup(client, newId());
  await client.user("DELETE", { user_group_id: deleted.providedId });
  for (const text of [token, rotated.token, deleted.token, id, stage.tokens.production]) {
    expect(await find(client.in("testing"), text), text).toEqual({ success: 1, found: "unknown" });
  }
});

test("an API token finds only tokens of its own environment", async ({ database, stage }) => {
  const client = await adminClient(database);
  const { token, providedId } = await makeGroup(client, newId());
  const ask = async (text: string, apiToken: string) =>
    (await call("POST", "/api/user-groups/find-by-token", { token: apiToken, body: { text } })).json;
  expect(await ask(token, stage.tokens.testing)).toMatchObject({
    found: "current",
    user_group: { provided_id: providedId },
  });
  expect(await ask(token, stage.tokens.production)).toEqual({ success: 1, found: "unknown" });
  expect(await ask(stage.tokens.testing, stage.tokens.production)).toEqual({ success: 1, found: "unknown" });
  const rotated = (await client.user("POST", { current_token: token })).json.user_group;
  expect(await ask(token, stage.tokens.production)).toEqual({ success: 1, found: "unknown" });
  await client.user("DELETE", { user_group_id: providedId });
  expect(await ask(rotated.token, stage.tokens.testing)).toMatchObject({ found: "deleted" });
  expect(await ask(rotated.token, stage.tokens.production)).toEqual({ success: 1, found: "unknown" });
});
