import Papa from "papaparse";
import { historyAnswer } from "@/lib/audit/schema";
import {
  type AdminClient,
  adminClient,
  adminElsewhere,
  createEnvironment,
  makeGroup,
  type Query,
} from "../fixtures/admin-client";
import { call, expect, expectError, newId, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { command } from "../fixtures/run";
import { stage } from "../fixtures/stage";

async function exported(client: AdminClient, query: Query): Promise<string> {
  const { status, text } = await client.groups("/history/export", query);
  expect(status, text).toBe(200);
  expect(text).not.toMatch(/ugt_|token_fingerprint|ended_token/);
  return text;
}

const lines = (text: string) => text.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : []));

test("JSON lines match the pages under the same filters, and the history records the export", async ({ database }) => {
  const admin = await adminElsewhere(database);
  const one = await makeGroup(admin, "one", { properties: { plan: "free" } });
  await makeGroup(admin, "two");
  await admin.user("PUT", { user_group_id: "one", properties: { plan: "pro" } });
  await admin.user("POST", { current_token: one.token });
  await admin.user("DELETE", { user_group_id: "one" });
  const viewer = (await adminClient(database, "viewer")).in(admin.environment);
  const listed = async (query: Query) => {
    const { json } = await viewer.groups("/history", { ...query, limit: 200 });
    return historyAnswer.parse(json).entries;
  };
  for (const query of [
    { member: admin.member.id },
    { team_id: one.teamId },
    { member: admin.member.id, action: ["user_group.created", "user_group.deleted"] },
    { member: admin.member.id, to: "2001-01-01T00:00:00Z" },
  ]) {
    expect(lines(await exported(viewer, { ...query, format: "jsonl" }))).toEqual(await listed(query));
  }
  const kept = { format: "jsonl", scope: "environment" };
  expect((await listed({ action: "history.exported" })).map(({ actor, after }) => [actor.name, after])).toEqual([
    [viewer.member.name, { ...kept, member: admin.member.id, to: "2001-01-01T00:00:00.000Z" }],
    [viewer.member.name, { ...kept, member: admin.member.id, action: ["user_group.created", "user_group.deleted"] }],
    [viewer.member.name, { ...kept, team_id: one.teamId }],
    [viewer.member.name, { ...kept, member: admin.member.id }],
  ]);
});

test("a caller has four downloads at a time, however slowly it reads them", async ({ database }) => {
  const environment = await createEnvironment(database);
  const { databaseUrl, secretKey } = stage();
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
  const token = await insertApiToken(settings, { environment, scopes: ["groups:read"] });
  // More than fits the kernel's buffers.
  await database.query(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, after)
     SELECT e.id, 'environment.updated', 'operator', 'e2e', '{"text":"' || repeat('x', 1000000) || '"}'
     FROM environment e, generate_series(1, 40) WHERE slug = $1`,
    [environment],
  );
  const gone = new AbortController();
  const begin = (signal?: AbortSignal) =>
    fetch(`${stage().urls[0]}/api/user-groups/history/export?format=jsonl`, {
      headers: { authorization: `Token ${token}` },
      ...(signal && { signal }),
    });
  const slow = await Promise.all(Array.from({ length: 4 }, () => begin(gone.signal)));
  expect(slow.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await begin()).status).toBe(429);
  gone.abort();
  await expect.poll(async () => (await begin()).text().then((text) => text.length)).toBeGreaterThan(40_000_000);
});

test("CSV has a column for each member, and no formulas", async ({ database }) => {
  const admin = await adminElsewhere(database);
  const { teamId } = await makeGroup(admin, "=1+1", { name: '@SUM(A1), "x"', properties: { a: 1 } });
  const { status, headers, text } = await admin.groups("/history/export", { team_id: teamId, format: "csv" });
  expect(status).toBe(200);
  expect(headers["content-type"]).toBe("text/csv; charset=utf-8; header=present");
  const date = new Date().toISOString().slice(0, 10);
  expect(headers["content-disposition"]).toBe(`attachment; filename="history-${admin.environment}-${date}.csv"`);
  const { data, errors } = Papa.parse<Record<string, string>>(text.trimEnd(), { header: true });
  expect(errors).toEqual([]);
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^\d+$/),
      at: expect.stringMatching(/^\d{4}-/),
      action: "user_group.created",
      actor_type: "member",
      actor_id: admin.member.id,
      actor_name: admin.member.name,
      request_id: expect.stringMatching(/./),
      environment: admin.environment,
      team_id: String(teamId),
      user_group_id: "'=1+1",
      name: '\'@SUM(A1), "x"',
      token_changed: "false",
      before: "",
      after: '{"provided_id":"=1+1","name":"@SUM(A1), \\"x\\"","mapping":{},"properties":{"a":1}}',
    },
  ]);
});

test("every entry is in the file once, newest first, across many statements, with exact states", async ({
  database,
}) => {
  const admin = await adminElsewhere(database);
  await database.query(
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name, after)
     SELECT e.id, 'environment.updated', 'operator', 'test', '{"n":' || n || '.0,"text":"' || repeat('x', 9000) || '"}'
     FROM environment e, generate_series(1, 1200) AS n WHERE slug = $1`,
    [admin.environment],
  );
  const text = await exported(admin, { format: "jsonl", action: "environment.updated" });
  const numbers = [...text.matchAll(/"after":\{"n":(\d+)\.0,/g)].map(([, n]) => Number(n));
  expect(numbers).toEqual(Array.from({ length: 1_200 }, (_, at) => 1_200 - at));
});

test("programs export their environment, members all environments", async ({ stage, database }) => {
  const slug = await createEnvironment(database);
  const admin = (await adminClient(database)).in(slug);
  await makeGroup(admin, "here");
  const there = await makeGroup(admin.in("testing"), newId());
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const create = async (...scopes: string[]) =>
    (
      await command(["api-token", "create", "--name", newId(), "--environment", slug, ...scopes], settings)
    ).stdout.trim();
  const token = await create("--scopes", "groups:read");
  const ask = (query: string, by = token) => call("GET", `/api/user-groups/history/export?${query}`, { token: by });
  const own = await ask("format=jsonl&action=user_group.created");
  expect(lines(own.text).map(({ user_group }) => user_group.provided_id)).toEqual(["here"]);
  expect(await exported(admin, { format: "jsonl", scope: "all", team_id: there.teamId })).toContain(there.providedId);
  const all = { action: "user_group.created", member: admin.member.id };
  expect(lines(await exported(admin, { format: "jsonl", scope: "all", ...all }))).toHaveLength(2);
  const before = (await admin.groups("/history", { action: "history.exported" })).json.entries.length;
  expectError(await ask("format=jsonl&scope=all"), 403, "forbidden");
  expectError(await ask("format=jsonl", await create("--preset", "renderer")), 403, "forbidden");
  for (const query of ["", "format=xls", "format=csv&limit=5", "format=csv&team_id=1&user_group_id=a"]) {
    expectError(await ask(query), 422, "invalid_fields");
  }
  expect((await admin.groups("/history", { action: "history.exported" })).json.entries).toHaveLength(before);
});
