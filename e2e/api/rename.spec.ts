import { SCOPES } from "@/lib/authority/scopes";
import { adminElsewhere, makeGroup } from "../fixtures/admin-client";
import { type CallOptions, call, createGroup, expect, expectError, newId, type Response, view } from "../fixtures/api";
import { apply, dryRun, rowsOf, settled } from "../fixtures/jobs";
import { scopedToken, testWithToken } from "../fixtures/scoped-token";

const test = testWithToken(...SCOPES);

const send = (token: string) => (method: string, path: string, body?: unknown, headers?: CallOptions["headers"]) =>
  call(method, path, { token, ...(body !== undefined && { body }), ...(headers && { headers }) });

const rename = (user_group_id: string, new_user_group_id: string, more: object = {}) =>
  call("PATCH", "/api/user", { body: { user_group_id, new_user_group_id, ...more } });

async function renamed(user_group_id: string, new_user_group_id = newId("new")) {
  const answer = await rename(user_group_id, new_user_group_id);
  expect(answer.status, answer.text).toBe(200);
  return new_user_group_id;
}

const get = (user_group_id: string) => call("GET", "/api/user", { body: { user_group_id } });

function expectRenamed(response: Response, newId: string) {
  expectError(response, 409, "renamed");
  expect(response.json.error.message).toContain(JSON.stringify(newId));
}

test("a renamed group keeps its number, tokens, views and history", async ({ token, database }) => {
  const ask = send(token);
  const { provided_id: id, team_id, token: first } = await createGroup({ name: "Kept", properties: { plan: "pro" } });
  const rotated = (await ask("POST", "/api/user", { current_token: first, overlap_seconds: 600 })).json.user_group;
  const { viewer_token } = (await ask("POST", "/api/viewer-tokens", { user_group_id: id })).json;
  const { next_cursor: after } = (await ask("GET", "/api/events?after=latest")).json;
  const to = newId("né w/");
  const answer = await rename(id, to, { name: "Renamed", properties: { plan: null, seats: 1.1 } });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.json.user_group).toEqual({
    team_id,
    token: rotated.token,
    name: "Renamed",
    provided_id: to,
    properties: { seats: 1.1 },
    api_environment_tag: "Testing",
  });
  expect(answer.headers.etag).toBe(`"${team_id}-4"`);
  expect((await get(to)).json).toMatchObject({ new_user_group: false, user_group: { team_id, token: rotated.token } });
  expect(await view(rotated.token)).toMatchObject({ active: true, user_group: { provided_id: to } });
  expect(await view(first)).toMatchObject({ token_state: "previous", user_group: { provided_id: to } });
  expect(await view(viewer_token)).toMatchObject({ active: true, user_group: { provided_id: to } });
  const { sub } = JSON.parse(Buffer.from(viewer_token.split(".")[1], "base64url").toString());
  expect(sub).toBe(id);

  // All tokens are sealed for the new id, including the previous one, which a rotation has moved.
  const sealed = await database.query("SELECT provided_id FROM previous_token WHERE team_id = $1", [team_id]);
  expect(sealed).toEqual([{ provided_id: to }]);
  const found = async (query: string) =>
    (await ask("GET", `/api/user-groups?${query}`)).json.user_groups.map((one: { team_id: number }) => one.team_id);
  expect(await found(`search=${encodeURIComponent(to)}`)).toEqual([team_id]);
  expect(await found(`search=${encodeURIComponent(id)}`)).toEqual([]);
  expect(await found(`user_group_id=${encodeURIComponent(to)}`)).toEqual([team_id]);

  for (const one of [id, to]) {
    const { entries } = (await ask("GET", `/api/user-groups/history?user_group_id=${encodeURIComponent(one)}`)).json;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      "user_group.renamed",
      "user_group.updated",
      "user_group.token_rotated",
      "user_group.created",
    ]);
    expect(entries[0]).toMatchObject({
      team_id,
      before: { provided_id: id, name: "Renamed" },
      after: { provided_id: to, name: "Renamed" },
      token_changed: false,
    });
  }
  const own = async () => {
    const { events } = (await ask("GET", `/api/events?after=${after}&types=user_group.renamed&wait=10`)).json;
    return events.filter((event: { data: { team_id: number } }) => event.data.team_id === team_id);
  };
  await expect.poll(own).toMatchObject([{ data: { provided_id: to, changed: ["provided_id"] } }]);
});

const CALLS: [method: string, path: string, body?: object][] = [
  ["GET", "/api/user"],
  ["POST", "/api/user/get-or-create"],
  ["PUT", "/api/user", { name: "n" }],
  ["PATCH", "/api/user", { name: "n" }],
  ["PATCH", "/api/user", { new_user_group_id: "never" }],
  ["POST", "/api/user/upsert", { name: "n" }],
  ["DELETE", "/api/user"],
  ["POST", "/api/user/end-overlap"],
  ["POST", "/api/viewer-tokens"],
  ["POST", "/api/user-groups/rotate"],
  ["POST", "/api/user-groups/token"],
  ["POST", "/api/user-groups/suspend"],
  ["POST", "/api/user-groups/resume"],
  ["POST", "/api/user-groups/end-views"],
  ["POST", "/api/viewers/end", { viewer_id: "u" }],
  ["PUT", "/api/user-groups/allowed-origins", { allowed_origins: null }],
];

test("every call with the old id is refused and names the new one, also after a second rename", async ({
  token,
  database,
}) => {
  const ask = send(token);
  const { provided_id: id, team_id } = await createGroup();
  const to = await renamed(await renamed(id));
  const before = await database.query("SELECT version, gen FROM user_group WHERE team_id = $1", [team_id]);
  for (const [method, path, body] of CALLS) expectRenamed(await ask(method, path, { user_group_id: id, ...body }), to);
  const inQuery = `user_group_id=${encodeURIComponent(id)}`;
  for (const path of ["/api/user", "/api/user-groups/allowed-origins"]) {
    expectRenamed(await ask("GET", `${path}?${inQuery}`), to);
  }
  // The same for an API token that cannot create groups.
  const reader = await scopedToken("tokens:read");
  expectRenamed(await call("GET", "/api/user", { token: reader, body: { user_group_id: id } }), to);
  for (const mode of ["create", "update", "merge", "upsert", "delete", "rotate"]) {
    for (const dry_run of [true, false]) {
      const user_groups = [{ user_group_id: id }];
      const [result] = (await ask("POST", "/api/user-groups/batch", { mode, dry_run, user_groups })).json.results;
      expect(result).toMatchObject({ user_group_id: id, outcome: "error", error: { code: "renamed" } });
      expect(result.error.message).toContain(to);
    }
  }
  expect((await ask("GET", `/api/user-groups?${inQuery}`)).json.user_groups).toEqual([]);
  expect(await database.query("SELECT FROM user_group WHERE provided_id = $1", [id])).toEqual([]);
  expect(await database.query("SELECT version, gen FROM user_group WHERE team_id = $1", [team_id])).toEqual(before);
});

test("an old id is its group's alone until the reservation ends", async ({ token, database }) => {
  const { provided_id: id, team_id, token: held } = await createGroup();
  const other = await createGroup();
  expectError(await rename(id, other.provided_id), 409, "id_taken");
  const to = await renamed(id);
  expectError(await rename(other.provided_id, id), 409, "id_taken");
  expectError(await rename(other.provided_id, to), 409, "id_taken");
  // Renamed back: now the second id is reserved.
  await renamed(to, id);
  expectRenamed(await get(to), id);
  expect((await get(id)).json).toMatchObject({ new_user_group: false, user_group: { team_id, token: held } });
  expect((await rename(id, id)).headers.etag).toBe(`"${team_id}-3"`);
  await database.query("UPDATE reserved_id SET until = now() WHERE provided_id = $1", [to]);
  expect((await get(to)).json.new_user_group).toBe(true);
  // The expired reservation blocks no one.
  await call("DELETE", "/api/user", { token, body: { user_group_id: to } });
  await renamed(other.provided_id, to);
  await renamed(to);
  expectError(await get(to), 409, "renamed");
});

test("a rename honours If-Match, and refuses ids that a new group could not have", async ({ database }) => {
  const { provided_id: id, team_id } = await createGroup({ name: "Same" });
  const stale = { body: { user_group_id: id, new_user_group_id: newId() }, headers: { "if-match": `"${team_id}-2"` } };
  expectError(await call("PATCH", "/api/user", stale), 412, "stale");
  for (const odd of ["", " a", "a\u2800", "a".repeat(256), 7, null]) {
    const { json } = expectError(await rename(id, odd as string, { name: "Other" }), 422, "invalid_fields");
    expect(json.error.issues[0].path).toEqual(["new_user_group_id"]);
  }
  expectError(await rename(newId(), newId()), 404, "unknown_user_group");
  for (const [method, path] of [
    ["PUT", "/api/user"],
    ["POST", "/api/user/upsert"],
  ] as const) {
    const body = { user_group_id: id, new_user_group_id: newId() };
    expectError(await call(method, path, { body }), 422, "invalid_fields");
  }
  const rows = await database.query("SELECT provided_id, name, version FROM user_group WHERE team_id = $1", [team_id]);
  expect(rows).toEqual([{ provided_id: id, name: "Same", version: 1 }]);
});

test("PATCH accepts a merge patch's media type, and no other call does", async () => {
  const { provided_id: user_group_id } = await createGroup();
  for (const type of ["application/merge-patch+json", "Application/Merge-Patch+JSON; charset=utf-8"]) {
    const headers = { "content-type": type };
    const merged = await call("PATCH", "/api/user", { headers, body: { user_group_id, properties: { a: 1 } } });
    expect(merged.json.user_group.properties).toEqual({ a: 1 });
    expectError(await call("PUT", "/api/user", { headers, body: { user_group_id } }), 415, "unsupported_media_type");
  }
  const headers = { "content-type": "application/json-patch+json" };
  const other = await call("PATCH", "/api/user", { headers, body: { user_group_id } });
  expectError(other, 415, "unsupported_media_type");
});

test("a deleted group does not return under an id that another has given up", async ({ token }) => {
  const ask = send(token);
  const first = await createGroup();
  const id = first.provided_id;
  await ask("DELETE", "/api/user", { user_group_id: id });
  const second = (await get(id)).json.user_group;
  const to = await renamed(id);
  for (const replace of [false, true]) {
    const refused = await ask("POST", "/api/user-groups/restore", { user_group_id: id, replace });
    expectRenamed(refused, to);
    expect(refused.json.error.message).toContain("Another user group had this id recently");
  }
  expect(await view(second.token)).toMatchObject({ active: true });
  // While it is deleted, the renamed group keeps the reservation, as it may be restored.
  await ask("DELETE", "/api/user", { user_group_id: to });
  const refused = await get(id);
  expectRenamed(refused, to);
  expect(refused.json.error.message).toContain(`was renamed to "${to}", and then deleted. Restore it`);
  const byFormerId = { user_group_id: id, team_id: second.team_id };
  expectRenamed(await ask("POST", "/api/user-groups/restore", byFormerId), to);
  const restored = await ask("POST", "/api/user-groups/restore", { user_group_id: to });
  expect(restored.json.user_group).toMatchObject({ team_id: second.team_id, provided_id: to });
  expect((await get(to)).json.user_group.token).toBe(second.token);
  // Erasing it frees its former id.
  await ask("DELETE", "/api/user", { user_group_id: to });
  expect((await ask("POST", "/api/user-groups/purge", { team_id: second.team_id })).status).toBe(200);
  const back = await ask("POST", "/api/user-groups/restore", { user_group_id: id });
  expect(back.json.user_group).toMatchObject({ team_id: first.team_id, provided_id: id });
  expect((await get(id)).json.user_group.token).toBe(first.token);
});

test("a repeated call has its first answer after a rename", async ({ token }) => {
  const ask = send(token);
  const { provided_id: id, token: current_token } = await createGroup();
  const key = { "idempotency-key": newId("key") };
  const rotate = () => ask("POST", "/api/user", { current_token }, key);
  const replace = () => ask("POST", "/api/user-groups/rotate", { user_group_id: id }, { "idempotency-key": `${id}-2` });
  const batch = () =>
    ask(
      "POST",
      "/api/user-groups/batch",
      { mode: "merge", user_groups: [{ user_group_id: id, name: "n" }] },
      { "idempotency-key": `${id}-3` },
    );
  const calls = [rotate, replace, batch];
  const first = [];
  for (const one of calls) first.push((await one()).json);
  await renamed(id);
  for (const [n, one] of calls.entries()) expect((await one()).json).toEqual(first[n]);
});

test("files and changes with the old id are refused, a sync keeps the group, and an undo finds it", async ({
  database,
}) => {
  const client = await adminElsewhere(database);
  for (const id of ["other", "old"]) await makeGroup(client, id, { properties: { plan: "free" } });
  const change = await client.send("POST", "/api/jobs", {
    kind: "change",
    mode: "merge",
    user_group_ids: ["old"],
    properties: { plan: "pro" },
    apply: true,
  });
  expect((await settled(client, change.json.job.id)).done.changed).toBe(1);
  const body = { user_group_id: "old", new_user_group_id: "new" };
  expect((await client.user("PATCH", body)).status).toBe(200);

  const issue = { path: ["user_group_id"], message: 'was renamed: its user_group_id is "new" now' };
  const lines = ["old", "other"].map((id) => `{"user_group_id":"${id}","name":"File"}\n`).join("");
  const sync = await dryRun(client, lines, "all.jsonl", { mode: "sync", max_deletions: "100%" });
  expect(sync.planned).toMatchObject({ create: 0, change: 1, delete: 0, error: 1 });
  expect(await rowsOf(client, sync.id, { outcome: "error" })).toMatchObject([{ provided_id: "old", issues: [issue] }]);
  expect(await apply(client, sync.id)).toMatchObject({ done: { changed: 1, deleted: 0 } });
  const named = await client.send("POST", "/api/jobs", {
    kind: "change",
    mode: "suspend",
    user_group_ids: ["old", "other"],
  });
  const planned = await settled(client, named.json.job.id);
  expect(await rowsOf(client, planned.id, { outcome: "error" })).toMatchObject([{ issues: [issue] }]);

  const undo = await client.send("POST", `/api/jobs/${change.json.job.id}/undo`, { apply: true });
  expect(await settled(client, undo.json.job.id)).toMatchObject({ state: "done", done: { changed: 1, skipped: 0 } });
  const { json } = await client.groups("", { user_group_id: "new" });
  expect(json.user_groups).toMatchObject([{ provided_id: "new", properties: { plan: "free" } }]);
});
