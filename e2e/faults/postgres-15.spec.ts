import path from "node:path";
import { type Client, clientOf } from "../fixtures/client";
import { dumpDatabase, pgDump, tracesOf } from "../fixtures/database-dump";
import { test as base, expect, query } from "../fixtures/own-service";
import { findPostgres15, startPostgres15 } from "../fixtures/postgres-15";
import { command, createApiToken } from "../fixtures/run";
import { liveLife, OVERRIDDEN, startOn, unknownSettings } from "../fixtures/session-settings";

interface On15 {
  programs: string;
  settings: { DATABASE_URL: string; SECRET_KEY: string };
}

const test = base.extend<object, { on15: On15 | undefined }>({
  on15: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's dependencies off this pattern
    async ({}, use) => {
      const programs = await findPostgres15();
      if (!programs) return use(undefined);
      const postgres = await startPostgres15(programs);
      await use({ programs, settings: { DATABASE_URL: postgres.url, SECRET_KEY: "15".repeat(32) } });
      await postgres.stop();
    },
    { scope: "worker" },
  ],
});

test("on PostgreSQL 15 a group goes through its whole life, and the dump reveals no token", async ({ start, on15 }) => {
  test.skip(!on15, "PostgreSQL 15 is not installed");
  if (!on15) return;
  const { programs, settings } = on15;
  const { DATABASE_URL } = settings;
  const services = await Promise.all([start(settings), start(settings)]);
  expect((await query(DATABASE_URL, "SHOW server_version"))[0]?.server_version).toMatch(/^15\./);
  const token = await createApiToken(settings);
  const [client, other] = services.map(({ url }) => clientOf(url, token)) as [Client, Client];

  const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => [client, other][n % 2]?.get("racing")));
  expect(answers.map((answer) => answer?.status)).toEqual(Array(64).fill(200));
  expect(answers.filter((answer) => answer?.json.new_user_group)).toHaveLength(1);
  expect(new Set(answers.map((answer) => answer?.json.user_group.token)).size).toBe(1);

  const created = await client.get("group", { name: "One", mapping: { 40: "213" }, properties: { a: 1 } });
  const { user_group } = created.json;
  const stale = { "if-match": String(created.headers.etag) };
  const updated = await other.put("group", { name: "Two", properties: null }, stale);
  expect(updated.json.user_group).toEqual({
    ...user_group,
    name: "Two",
    properties: null,
    api_environment_tag: "Testing",
  });
  expect((await other.put("group", { name: "Three" }, stale)).status).toBe(412);
  expect((await client.put("nobody", { name: "N" })).status).toBe(404);

  const key = { "idempotency-key": "once" };
  const rotations = await Promise.all([1, 2, 3, 4].map(() => client.rotate(user_group.token, key)));
  expect(rotations.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(rotations.map(({ text }) => text)).size).toBe(1);
  const rotated = rotations[0]?.json.user_group.token;
  expect((await other.rotate(user_group.token)).status).toBe(404);
  const again = await other.rotate(rotated);
  expect((await client.get("group")).json.user_group.token).toBe(again.json.user_group.token);

  expect(await command(["verify"], settings)).toMatchObject({ code: 0, stderr: "" });
  const history = await query(DATABASE_URL, "SELECT * FROM audit_entry WHERE team_id = $1 ORDER BY id", [
    user_group.team_id,
  ]);
  expect(history.map(({ action }) => action)).toEqual([
    "user_group.created",
    "user_group.updated",
    "user_group.token_rotated",
    "user_group.token_rotated",
  ]);
  for (const [at, { before }] of history.entries()) expect(before).toBe(at === 0 ? null : history[at - 1]?.after);

  const dumps = [await dumpDatabase(DATABASE_URL), await pgDump(path.join(programs, "pg_dump"), DATABASE_URL)];
  for (const dump of dumps) {
    expect(dump).toContain("racing");
    for (const secret of [token, user_group.token, rotated, again.json.user_group.token]) {
      for (const trace of tracesOf(secret)) expect(dump.includes(trace)).toBe(false);
    }
  }
});

test("on PostgreSQL 15 the key is changed under a running service", async ({ start, on15 }) => {
  test.skip(!on15, "PostgreSQL 15 is not installed");
  if (!on15) return;
  const token = await createApiToken(on15.settings);
  const changed = { ...on15.settings, SECRET_KEY: "51".repeat(32), PREVIOUS_SECRET_KEY: on15.settings.SECRET_KEY };
  const service = await start(changed);
  const { json } = await clientOf(service.url, token).get("re-sealed");
  expect(await command(["rekey"], changed)).toMatchObject({ code: 0, stderr: "" });
  await service.stop();
  const { PREVIOUS_SECRET_KEY: _, ...alone } = changed;
  const after = await start(alone);
  expect((await clientOf(after.url, token).get("re-sealed")).json).toEqual({ ...json, new_user_group: false });
});

test("on PostgreSQL 15 role settings change no answer", async ({ start, on15 }) => {
  test.skip(!on15, "PostgreSQL 15 is not installed");
  if (!on15) return;
  const { DATABASE_URL, SECRET_KEY } = on15.settings;
  expect(await unknownSettings(DATABASE_URL)).toEqual([]);
  const lives = [];
  for (const [name, hostile] of Object.entries({ plain: {}, hostile: OVERRIDDEN })) {
    const url = new URL(DATABASE_URL);
    url.pathname = name;
    await query(DATABASE_URL, `CREATE DATABASE ${name}`);
    const settings = { DATABASE_URL: url.href, SECRET_KEY };
    expect(await command(["migrate"], settings)).toMatchObject({ code: 0 });
    const service = await startOn(start, settings, hostile);
    lives.push(await liveLife(service.url, service.token));
  }
  expect(lives[0]?.filter(([, status]) => status !== 200)).toEqual([]);
  expect(lives[1]).toEqual(lives[0]);
});
