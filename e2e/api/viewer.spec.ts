import { newToken } from "@/lib/crypto/group-token";
import { adminClient, listed } from "../fixtures/admin-client";
import { type CallOptions, call, createGroup, type Database, expect, expectError, newId, test } from "../fixtures/api";
import { startService } from "../fixtures/service-process";

const INACTIVE = '{"success":1,"active":false}\n';

const form = { "content-type": "application/x-www-form-urlencoded" };

const ask = (token: unknown, options: CallOptions = {}) => call("POST", "/api/viewer", { body: { token }, ...options });

test("a current token identifies its group exactly, to a read-only API token as well", async ({ stage }) => {
  const mapping = '{"b":1.0,"a":{"__proto__":[1E2,"\\u00e9"]},"2":"x","1":"y"}';
  const properties = '{"z":-0,"constructor":null,"":"é"}';
  const id = newId();
  const body = `{"user_group_id":"${id}","name":"Née","mapping":${mapping},"properties":${properties}}`;
  const { json, headers } = await call("GET", "/api/user", { body });
  const { team_id, token } = json.user_group;
  for (const asking of [stage.tokens.testing, stage.tokens.readOnly]) {
    const response = await ask(token, { token: asking });
    expect(response.text).toBe(
      `{"success":1,"active":true,"user_group":{"team_id":${team_id},"provided_id":"${id}","name":"Née",` +
        `"mapping":${mapping},"properties":${properties},"api_environment_tag":"Testing"}}\n`,
    );
    expect(response.headers).toMatchObject({ "cache-control": "no-store", etag: headers.etag });
    expect(response.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
  }
  const plain = await createGroup();
  const { json: answer } = await ask(plain.token);
  expect(answer).toMatchObject({ user_group: { mapping: {}, properties: null } });
});

test("anything but a current token of the caller's environment gets the same answer", async ({ database, stage }) => {
  const [rotated, deleted, elsewhere, kept] = await Promise.all([
    createGroup(),
    createGroup(),
    createGroup({}, { token: stage.tokens.production }),
    createGroup(),
  ]);
  const rotation = await call("POST", "/api/user", { body: { current_token: rotated.token } });
  const admin = await adminClient(database);
  expect((await admin.user("DELETE", { user_group_id: deleted.provided_id })).status).toBe(200);
  const inactive = {
    unknown: newToken(),
    "rotated away": rotated.token,
    deleted: deleted.token,
    "of another environment": elsewhere.token,
    "cut short": kept.token.slice(0, -1),
    "with a space": `${kept.token} `,
    "in other letters": kept.token.toUpperCase(),
    "an API token": stage.tokens.testing,
    empty: "",
    blank: " ",
    "in other scripts": "токен 🙂",
    long: "x".repeat(200_000),
  };
  const answers = await Promise.all(
    Object.entries(inactive).map(async ([what, token]) => [what, await ask(token)] as const),
  );
  for (const [what, { status, text, headers }] of answers) {
    expect({ status, text, etag: headers.etag }, what).toEqual({ status: 200, text: INACTIVE, etag: undefined });
  }
  const names = new Set(answers.map(([, { headers }]) => Object.keys(headers).sort().join()));
  expect(names.size).toBe(1);
  expect((await ask(kept.token)).json.active).toBe(true);
  expect((await ask(rotation.json.user_group.token)).json.active).toBe(true);
  expect((await ask(elsewhere.token, { token: stage.tokens.production })).json).toMatchObject({
    user_group: { team_id: elsewhere.team_id, api_environment_tag: "Customer" },
  });
  expect((await admin.act("restore", { user_group_id: deleted.provided_id })).status).toBe(200);
  expect((await ask(deleted.token)).json.active).toBe(true);
});

for (const [what, options, status, code, message] of [
  ["no token", { body: {} }, 422, "invalid_fields", "token is required"],
  ["a number", { body: { token: 7 } }, 422, "invalid_fields", 'must be a string: send "7" in quotes'],
  ["null", { body: { token: null } }, 422, "invalid_fields", "token must be a string"],
  ["a list", { body: { token: ["x"] } }, 422, "invalid_fields", "token must be a string"],
  ["an unknown field", { body: { tokn: "x" } }, 422, "invalid_fields", "did you mean token"],
  ["a field of rotations", { body: { token: "x", current_token: "x" } }, 422, "invalid_fields", "current_token"],
  ["a list for a body", { body: "[]" }, 422, "invalid_fields", "must be a JSON object"],
  ["a form, as in RFC 7662", { body: "token=x", headers: form }, 415, "unsupported_media_type", "application/json"],
  ["a token twice", { body: '{"token":"x","token":"y"}' }, 400, "invalid_json", "duplicate member name"],
  ["a NUL", { body: '{"token":"\\u0000"}' }, 400, "invalid_json", "NUL"],
  ["an unpaired surrogate", { body: '{"token":"\\ud800"}' }, 400, "invalid_json", "surrogate"],
  ["no body", {}, 400, "body_missing", "Send a JSON object"],
  ["an oversized body", { body: { token: "x".repeat(262_144) } }, 413, "body_too_large", "256 KiB"],
  ["no credential", { token: null, body: { token: "x" } }, 401, "unauthorized", "Send a valid API token"],
] as const) {
  test(`${what} is answered with ${status}`, async () => {
    const response = expectError(await call("POST", "/api/viewer", options), status, code);
    expect(response.text.replaceAll('\\"', '"')).toContain(message);
  });
}

test("a token in the URL is refused, and other methods get 405 with Allow", async () => {
  for (const body of [undefined, { token: "x" }]) {
    expectError(await call("POST", "/api/viewer?token=x", { body }), 422, "invalid_fields");
  }
  for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
    const response = expectError(await call(method, "/api/viewer"), 405, "method_not_allowed");
    expect(response.headers.allow).toBe("POST, OPTIONS");
  }
  expect(await call("OPTIONS", "/api/viewer")).toMatchObject({ status: 204, headers: { allow: "POST, OPTIONS" } });
});

test("concurrent checks each get their own answer, even if others are refused", async ({ stage }) => {
  const groups = await Promise.all(Array.from({ length: 8 }, () => createGroup()));
  const theirs = await createGroup({}, { token: stage.tokens.production });
  const rounds = await Promise.all(
    Array.from({ length: 12 }, () =>
      Promise.all([
        ...groups.map(({ token }) => ask(token)),
        ask(newToken()),
        ask(theirs.token),
        ask(theirs.token, { token: stage.tokens.production }),
        ask(groups[0]?.token, { token: "garbage" }),
        call("POST", "/api/viewer", { body: { token: 1 } }),
        call("GET", "/api/user", { body: { user_group_id: groups[1]?.provided_id } }),
      ]),
    ),
  );
  for (const answers of rounds) {
    expect(answers.map(({ status }) => status)).toEqual([...groups.map(() => 200), 200, 200, 200, 401, 422, 200]);
    for (const [at, { team_id }] of groups.entries()) expect(answers[at]?.json.user_group.team_id).toBe(team_id);
    const [unknown, foreign, own, , , got] = answers.slice(groups.length);
    expect([unknown?.text, foreign?.text]).toEqual([INACTIVE, INACTIVE]);
    expect(own?.json.user_group.team_id).toBe(theirs.team_id);
    expect(got?.json.user_group.token).toBe(groups[1]?.token);
  }
});

test.describe("the last use", () => {
  const rowOf = async (database: Database, { team_id }: { team_id: number }) => {
    const [row] = await database.query(
      "SELECT xmin, nullif(last_used_at, '-infinity') AS at FROM group_use WHERE team_id = $1",
      [team_id],
    );
    return row as { xmin: string; at: Date | null };
  };

  /** Waits until a service has recorded the checks so far. */
  const settle = async (database: Database, service: 0 | 1 = 0) => {
    const last = await createGroup();
    await ask(last.token, { service });
    await expect.poll(async () => (await rowOf(database, last)).at, { intervals: [50] }).not.toBeNull();
  };

  test("is written once for many calls to either service, and changes nothing else of the group", async ({
    database,
  }) => {
    const group = await createGroup();
    const whole = () =>
      database.query(
        `SELECT g.xmin, g.*, (SELECT count(*) FROM audit_entry a WHERE a.team_id = g.team_id) AS history
         FROM user_group g WHERE team_id = $1`,
        [group.team_id],
      );
    const before = await whole();
    expect((await rowOf(database, group)).at).toBeNull();
    await Promise.all(Array.from({ length: 20 }, () => ask(group.token)));
    await settle(database);
    const first = await rowOf(database, group);
    expect(first.at).not.toBeNull();
    for (const service of [0, 1] as const) {
      await Promise.all(Array.from({ length: 20 }, () => ask(group.token, { service })));
      await settle(database, service);
    }
    expect(await rowOf(database, group)).toEqual(first);
    expect(await whole()).toEqual(before);
    // After a minute a check is recorded again; a service that has just recorded one does so only after a change.
    await database.query("UPDATE group_use SET last_used_at = last_used_at - interval '1 minute' WHERE team_id = $1", [
      group.team_id,
    ]);
    await call("PUT", "/api/user", { body: { user_group_id: group.provided_id, name: "later" } });
    await ask(group.token);
    await settle(database);
    expect((await rowOf(database, group)).at?.getTime()).toBeGreaterThanOrEqual(first.at?.getTime() ?? 0);
  });

  test("never moves backwards, and ignores a token that has stopped", { tag: "@release" }, async ({ database }) => {
    const group = await createGroup();
    await database.query("UPDATE group_use SET last_used_at = now() + interval '1 hour' WHERE team_id = $1", [
      group.team_id,
    ]);
    const ahead = await rowOf(database, group);
    for (const service of [0, 1] as const) {
      await ask(group.token, { service });
      await settle(database, service);
    }
    expect((await rowOf(database, group)).at).toEqual(ahead.at);
    const rotated = await createGroup();
    expect((await call("POST", "/api/user", { body: { current_token: rotated.token } })).status).toBe(200);
    await ask(rotated.token);
    await settle(database);
    expect((await rowOf(database, rotated)).at).toBeNull();
  });

  test("of a new token is written immediately, however recent its predecessor's last use", { tag: "@release" }, async ({
    database,
  }) => {
    const group = await createGroup();
    await ask(group.token);
    await settle(database);
    const { json } = await call("POST", "/api/user", { body: { current_token: group.token } });
    await ask(json.user_group.token);
    await settle(database);
    const [row] = await database.query(
      "SELECT last_used_at >= rotated_at AS since FROM group_use JOIN user_group USING (team_id) WHERE team_id = $1",
      [group.team_id],
    );
    expect(row).toEqual({ since: true });
    const admin = await adminClient(database, "viewer");
    const shown = await listed(admin, group.team_id);
    expect(new Date(shown.token_last_used_at)).toEqual((await rowOf(database, group)).at);
  });

  test("neither waits for other sessions nor blocks them", { tag: "@release" }, async ({ database }) => {
    const [held, changing] = await Promise.all([createGroup(), createGroup()]);
    let isHeld = true;
    const hold = database
      .query(
        `WITH kept AS (SELECT FROM group_use WHERE team_id = $1 FOR UPDATE),
           changing AS (SELECT FROM user_group WHERE team_id = $2 FOR UPDATE)
         SELECT pg_sleep(4) FROM kept, changing`,
        [held.team_id, changing.team_id],
      )
      .then(() => {
        isHeld = false;
      });
    await expect
      .poll(() =>
        database.query("SELECT FROM pg_stat_activity WHERE query LIKE 'WITH kept%' AND wait_event = 'PgSleep'"),
      )
      .toHaveLength(1);
    await Promise.all([ask(held.token), ask(changing.token)]);
    const renamed = await call("PUT", "/api/user", { body: { user_group_id: held.provided_id, name: "after" } });
    expect(renamed.status).toBe(200);
    await settle(database);
    expect((await rowOf(database, changing)).at).not.toBeNull();
    expect((await rowOf(database, held)).at).toBeNull();
    expect(isHeld).toBe(true);
    await hold;
    await ask(held.token);
    await settle(database);
    expect((await rowOf(database, held)).at).not.toBeNull();
  });

  test("survives a stop, and a deletion that is undone", { tag: "@release" }, async ({ database, stage }) => {
    const group = await createGroup();
    const service = await startService({ DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey });
    const answer = await fetch(`${service.url}/api/viewer`, {
      method: "POST",
      headers: { authorization: `Token ${stage.tokens.testing}`, "content-type": "application/json" },
      body: JSON.stringify({ token: group.token }),
    });
    expect(await answer.json()).toMatchObject({ active: true });
    expect(await service.stop()).toBe(0);
    const { at } = await rowOf(database, group);
    expect(at).not.toBeNull();
    const admin = await adminClient(database);
    const body = { user_group_id: group.provided_id };
    expect((await admin.user("DELETE", body)).status).toBe(200);
    expect((await admin.act("restore", body)).status).toBe(200);
    expect((await listed(admin, group.team_id)).token_last_used_at).toBe(at?.toISOString());
  });
});
