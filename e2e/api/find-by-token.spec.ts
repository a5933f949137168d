import { readFileSync } from "node:fs";
import { foundTokenAnswer } from "@/lib/groups/token-schema";
import { type AdminClient, adminClient, adminElsewhere, createEnvironment, makeGroup } from "../fixtures/admin-client";
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

test("a rotated token is found with the time and author, a deleted group's as deleted", async ({ database }) => {
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

test("unknown, shortened and mistyped tokens, and other texts, find no group", async ({ database, stage }) => {
  const client = await adminClient(database);
  const { token, providedId } = await makeGroup(client, newId());
  const other = token.endsWith("0") ? "1" : "0";
  for (const text of [
    UNKNOWN,
    token.slice(0, -1) + other,
    token.slice(0, -1),
    token.slice("ugt_".length),
    "",
    providedId,
    stage.tokens.testing,
  ]) {
    expect(await find(client, text), text).toEqual({ success: 1, found: "unknown" });
  }
  expectError(await client.act("find-by-token", {}), 422, "invalid_fields");
  expectError(await client.act("find-by-token", { text: "x".repeat(100_001) }), 422, "invalid_fields");
});

test("a token is not logged, and a viewer cannot look it up", async ({ database, stage }) => {
  const client = await adminClient(database);
  const { token } = await makeGroup(client, newId());
  await find(client, token);
  for (const log of stage.logs) expect(readFileSync(log, "utf8")).not.toContain(token.slice(4, 20));
  const viewer = await adminClient(database, "viewer");
  expectError(await viewer.act("find-by-token", { text: token }), 403, "forbidden");
});

test("a member finds only tokens of the current environment", async ({ database }) => {
  const client = await adminElsewhere(database);
  const { token } = await makeGroup(client, newId());
  const rotated = (await client.user("POST", { current_token: token })).json.user_group;
  const deleted = await makeGroup(client, newId());
  await client.user("DELETE", { user_group_id: deleted.providedId });
  for (const text of [token, rotated.token, deleted.token]) {
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
  const rotated = (await client.user("POST", { current_token: token })).json.user_group;
  expect(await ask(token, stage.tokens.production)).toEqual({ success: 1, found: "unknown" });
  await client.user("DELETE", { user_group_id: providedId });
  expect(await ask(rotated.token, stage.tokens.testing)).toMatchObject({ found: "deleted" });
  expect(await ask(rotated.token, stage.tokens.production)).toEqual({ success: 1, found: "unknown" });
});
