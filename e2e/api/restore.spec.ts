import { deletedListAnswer } from "@/lib/groups/deletion-schema";
import { call, createGroup, expect, expectError, newId, view } from "../fixtures/api";
import { testWithToken } from "../fixtures/scoped-token";

const test = testWithToken("groups:read", "groups:delete");

const remove = (token: string, body: object) => call("DELETE", "/api/user", { token, body });
const restore = (token: string, body: object) => call("POST", "/api/user-groups/restore", { token, body });
const list = (token: string, query: Record<string, string> = {}) =>
  call("GET", `/api/user-groups/deleted?${new URLSearchParams(query)}`, { token });
const get = async (user_group_id: string) => (await call("GET", "/api/user", { body: { user_group_id } })).json;

test("a restored group has its token, number and history, and a higher version and generation", async ({
  token,
  database,
}) => {
  const group = await createGroup({ name: "Kept", mapping: { 40: "1" }, properties: { a: 1.5 } });
  const id = group.provided_id;
  const columns = "team_id, name, mapping, properties, token_index, token_sealed, state, created_at, rotated_at";
  const rows = () => database.query(`SELECT ${columns} FROM user_group WHERE provided_id = $1`, [id]);
  const before = await rows();
  expectError(await restore(token, { user_group_id: id }), 404, "unknown_user_group");
  await remove(token, { user_group_id: id });
  const answer = await restore(token, { user_group_id: id });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.headers.etag).toBe(`"${group.team_id}-2"`);
  expect(answer.json.user_group).toEqual({
    team_id: group.team_id,
    provided_id: id,
    name: "Kept",
    state: "active",
    access_ends_at: null,
    api_environment_tag: "Testing",
  });
  expect(answer.text).not.toContain(group.token);
  expect(await rows()).toEqual(before);
  // Callers following updated_since see it again.
  const [{ updated_at, created_at }] = await database.query(
    "SELECT updated_at, created_at FROM user_group WHERE team_id = $1",
    [group.team_id],
  );
  expect(updated_at.getTime()).toBeGreaterThan(created_at.getTime());
  const since = await call("GET", `/api/user-groups?updated_since=${updated_at.toISOString()}&limit=500`, { token });
  const numbers = since.json.user_groups.map(({ team_id }: { team_id: number }) => team_id);
  expect(numbers).toContain(group.team_id);
  expect(await view(group.token)).toMatchObject({ active: true });
  expect(await get(id)).toMatchObject({ new_user_group: false, user_group: { token: group.token } });
  const [{ version, gen }] = await database.query("SELECT version, gen FROM user_group WHERE team_id = $1", [
    group.team_id,
  ]);
  expect({ version, gen }).toEqual({ version: 2, gen: 3 });
  expectError(await restore(token, { user_group_id: id }), 404, "unknown_user_group");
});

test("a group with a taken id replaces the other on request, which can be restored later", async ({ token }) => {
  const first = await createGroup();
  const id = first.provided_id;
  await remove(token, { user_group_id: id });
  const second = (await get(id)).user_group;
  expectError(await restore(token, { user_group_id: id }), 409, "conflict");
  expect(await view(second.token)).toMatchObject({ active: true });
  expect((await restore(token, { user_group_id: id, replace: true })).json.user_group.team_id).toBe(first.team_id);
  expect(await view(first.token)).toMatchObject({ active: true });
  expect(await view(second.token)).toEqual({ success: 1, active: false });
  // And back, by number.
  const back = await restore(token, { user_group_id: id, team_id: second.team_id, replace: true });
  expect(back.json.user_group.team_id).toBe(second.team_id);
  expect((await get(id)).user_group.token).toBe(second.token);
});

test("without a number the latest deletion is restored; with one, that group", async ({ token }) => {
  const first = await createGroup();
  const id = first.provided_id;
  await remove(token, { user_group_id: id });
  const second = (await get(id)).user_group;
  await remove(token, { user_group_id: id });
  expect((await restore(token, { user_group_id: id })).json.user_group.team_id).toBe(second.team_id);
  await remove(token, { user_group_id: id });
  const byNumber = await restore(token, { user_group_id: id, team_id: first.team_id });
  expect(byNumber.json.user_group.team_id).toBe(first.team_id);
  expectError(await restore(token, { user_group_id: newId(), team_id: second.team_id }), 404, "unknown_user_group");
});

test("a replacement with nothing to restore leaves the living group alone", async ({ token, stage }) => {
  const living = await createGroup();
  const body = { user_group_id: living.provided_id, replace: true };
  expectError(await restore(token, body), 404, "unknown_user_group");
  expectError(await restore(token, { ...body, team_id: 2_147_483_647 }), 404, "unknown_user_group");
  expect(await view(living.token)).toMatchObject({ active: true });
  for (const odd of [{ replace: "yes" }, { team_id: "1" }, { team_id: 0 }, { user_group_id: undefined }]) {
    expectError(await restore(token, { ...body, ...odd }), 422, "invalid_fields");
  }
  expectError(await restore(stage.tokens.testing, body), 403, "forbidden");
});

test("deleted groups are listed by page with who deleted them and until when they are kept", async ({
  token,
  database,
}) => {
  const groups = [await createGroup(), await createGroup(), await createGroup()];
  for (const { provided_id } of groups) await remove(token, { user_group_id: provided_id });
  await get(String(groups[2]?.provided_id));
  const ids = groups.map(({ team_id }) => team_id).reverse();
  const pages = [];
  for (let cursor: string | null = ""; cursor !== null && pages.length < 3; ) {
    const answer = await list(token, { limit: "1", ...(cursor && { cursor }) });
    const page = deletedListAnswer.parse(answer.json);
    for (const group of groups) expect(answer.text).not.toContain(group.token);
    // Other tests delete groups at the same time.
    pages.push(...page.user_groups.filter(({ team_id }) => ids.includes(team_id)));
    cursor = page.next_cursor;
  }
  expect(pages.map(({ team_id }) => team_id)).toEqual(ids);
  expect(pages.map(({ is_id_taken }) => is_id_taken)).toEqual([true, false, false]);
  const [last] = pages;
  expect(last?.deleted_by).toMatchObject({ type: "api_token" });
  expect(Date.parse(last?.kept_until ?? "") - Date.parse(last?.deleted_at ?? "")).toBe(7 * 86_400_000);
  const ofOne = deletedListAnswer.parse((await list(token, { user_group_id: String(groups[0]?.provided_id) })).json);
  expect(ofOne.user_groups.map(({ team_id }) => team_id)).toEqual([groups[0]?.team_id]);
  expect(ofOne.next_cursor).toBeNull();
  await database.query("UPDATE deleted_group SET deleted_at = now() - interval '8 days' WHERE team_id = $1", [
    groups[0]?.team_id,
  ]);
  expect((await list(token, { user_group_id: String(groups[0]?.provided_id) })).json.user_groups).toEqual([]);
});

test("a truncated, altered or foreign cursor and an invalid limit are refused", async ({ token, stage }) => {
  for (let n = 0; n < 2; n++) await remove(token, { user_group_id: (await createGroup()).provided_id });
  const { next_cursor } = (await list(token, { limit: "1" })).json;
  const altered = Buffer.from(next_cursor, "base64url");
  altered.writeUInt8(altered.readUInt8(altered.length - 2) ^ 1, altered.length - 2);
  for (const cursor of ["x", next_cursor.slice(4), altered.toString("base64url")]) {
    const refused = await list(token, { cursor });
    expectError(refused, 422, "invalid_fields");
    expect(refused.json.error.issues[0]).toMatchObject({ path: ["cursor"] });
    expect(refused.json.error.issues[0].message).toContain("start at the first page");
  }
  for (const limit of ["0", "501", "1e2", "-1", ""]) expectError(await list(token, { limit }), 422, "invalid_fields");
  expectError(await list(stage.tokens.testing), 403, "forbidden");
});

test("64 GETs during restorations with replace each see one of the two groups, and create no third", async ({
  token,
  database,
}) => {
  const first = await createGroup();
  const id = first.provided_id;
  await remove(token, { user_group_id: id });
  const second = (await get(id)).user_group;
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      n % 16 === 7 ? restore(token, { user_group_id: id, replace: true }) : get(id),
    ),
  );
  const restored = answers.filter((_, n) => n % 16 === 7) as Awaited<ReturnType<typeof restore>>[];
  const gets = answers.filter((_, n) => n % 16 !== 7);
  expect(restored.some(({ status }) => status === 200)).toBe(true);
  for (const { status } of restored) expect([200, 404]).toContain(status);
  for (const { new_user_group, user_group } of gets as { new_user_group: boolean; user_group: { token: string } }[]) {
    expect(new_user_group).toBe(false);
    expect([first.token, second.token]).toContain(user_group.token);
  }
  const all = await database.query(
    "SELECT team_id FROM user_group WHERE provided_id = $1 UNION ALL SELECT team_id FROM deleted_group WHERE provided_id = $1 ORDER BY 1",
    [id],
  );
  expect(all.map(({ team_id }) => team_id)).toEqual([first.team_id, second.team_id]);
  expect(await database.query("SELECT FROM user_group WHERE provided_id = $1", [id])).toHaveLength(1);
});

test("of 64 concurrent restorations of one id, one succeeds", async ({ token, database }) => {
  const group = await createGroup();
  await remove(token, { user_group_id: group.provided_id });
  const answers = await Promise.all(
    Array.from({ length: 64 }, () => restore(token, { user_group_id: group.provided_id })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 404)).toHaveLength(63);
  const history = await database.query("SELECT action FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    group.team_id,
  ]);
  expect(history.map(({ action }) => action)).toEqual([
    "user_group.created",
    "user_group.deleted",
    "user_group.restored",
  ]);
});
