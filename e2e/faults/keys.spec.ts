import { randomBytes } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { insertApiToken } from "../fixtures/api-token";
import { type Client, clientOf, keepDoing } from "../fixtures/client";
import { dumpDatabase } from "../fixtures/database-dump";
import { test as base, expect, postgresPid, query } from "../fixtures/own-service";
import { command, createApiToken } from "../fixtures/run";

const newKey = () => randomBytes(32).toString("base64");

interface Fixtures {
  /** starts a service that must refuse to start; returns its output */
  refused: (settings: Record<string, string>) => Promise<string>;
}

const test = base.extend<Fixtures>({
  refused: async ({ start }, use) => {
    await use(async (settings) => {
      const service = await start(settings, { until: "spawned" });
      expect(await Promise.race([service.exited, sleep(30_000, "still running")])).toBe(1);
      expect(service.said()).not.toMatch(/^ {4}at /m);
      const { DATA_DIR: _, API_TOKEN_ENVIRONMENT: __, ...secrets } = settings;
      // A value of a few characters may occur by chance.
      for (const value of Object.values(secrets)) if (value.length > 8) expect(service.said()).not.toContain(value);
      return service.said();
    });
  },
});

test.describe("SECRET_KEY", () => {
  for (const [what, settings, reason] of [
    ["missing", {}, "SECRET_KEY is not set."],
    ["too short", { SECRET_KEY: randomBytes(16).toString("base64") }, "SECRET_KEY: must be 32 bytes"],
    ["too long", { SECRET_KEY: randomBytes(33).toString("base64") }, "SECRET_KEY: must be 32 bytes"],
    ["not base64", { SECRET_KEY: "correct horse battery staple, and then some more" }, "SECRET_KEY: must be 32 bytes"],
    ["almost base64 of 32 bytes", { SECRET_KEY: `${"a".repeat(20)}*${"b".repeat(23)}` }, "SECRET_KEY: must be"],
    ["hex of another length", { SECRET_KEY: "ab".repeat(31) }, "SECRET_KEY: must be 32 bytes"],
    ["accompanied by a bad previous key", { SECRET_KEY: newKey(), PREVIOUS_SECRET_KEY: "x" }, "PREVIOUS_"],
  ] as const) {
    test(`that is ${what} is refused`, async ({ refused, createDatabase }) => {
      expect(await refused({ DATABASE_URL: await createDatabase(), ...settings })).toContain(reason);
    });
  }

  test("that is missing is refused before the service listens", { tag: "@release" }, async ({ start }) => {
    const service = await start({ DATABASE_URL: "postgresql://a:b@127.0.0.1:1/c" }, { until: "spawned" });
    expect(await service.exited).toBe(1);
    expect(service.said()).toMatch(/^SECRET_KEY is not set\..*\n$/);
    expect(await readFile(service.log, "utf8")).toBe("");
  });

  test("that belongs to another database is refused", { tag: "@release" }, async ({
    start,
    refused,
    createDatabase,
  }) => {
    const DATABASE_URL = await createDatabase();
    await (await start({ DATABASE_URL, SECRET_KEY: newKey() })).stop();
    const said = await refused({ DATABASE_URL, SECRET_KEY: newKey() });
    expect(said).toMatch(/^SECRET_KEY is not the key that sealed the secrets in this database\.\n.*\n$/);
    const { code, stderr } = await command(["api-token", "list"], { DATABASE_URL, SECRET_KEY: newKey() });
    expect({ code, stderr }).toEqual({ code: 1, stderr: said });
  });
});

test("of the embedded database is readable by its owner only, and is not replaced when lost", {
  tag: "@release",
}, async ({ start, refused, dataDir }) => {
  const file = path.join(dataDir, "secret-key");
  await (await start({ DATA_DIR: dataDir })).stop();
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe("600");

  await rm(file);
  const said = await refused({ DATA_DIR: dataDir });
  expect(said).toContain(`Cannot read ${file}`);
  expect(said).toContain("SECRET_KEY");
  await expect(stat(file)).rejects.toThrow("ENOENT");
  expect(await postgresPid(dataDir)).toBeUndefined();
});

test("a new key next to the previous one opens everything, and a rekey under load moves everything to it", {
  tag: "@release",
}, async ({ start, refused, createDatabase }) => {
  const DATABASE_URL = await createDatabase();
  const [oldKey, key] = [newKey(), newKey()];
  const before = await start({ DATABASE_URL, SECRET_KEY: oldKey });
  const token = await insertApiToken({ DATABASE_URL, SECRET_KEY: oldKey });
  const old = await createGroups(clientOf(before.url, token), 1_200);
  const rotation = await clientOf(before.url, token).rotate(old.get("old-0") ?? "", { "idempotency-key": "once" });
  await before.stop();

  const settings = { DATABASE_URL, SECRET_KEY: key, PREVIOUS_SECRET_KEY: oldKey };
  const services = await Promise.all([start(settings), start(settings)]);
  const clients = services.map(({ url }) => clientOf(url, token)) as [Client, Client];
  expect((await clients[0].get("old-1")).json.user_group.token).toBe(old.get("old-1"));
  const replayed = { "idempotency-key": "once" };
  expect((await clients[1].rotate(old.get("old-0") ?? "", replayed)).text).toBe(rotation.text);

  const rotated = new Map<string, string>();
  const made = new Map<string, string>();
  const load = keepDoing(6, async (lane, count) => {
    const client = clients[lane % 2] ?? clients[0];
    if (lane < 2) {
      const id = `old-${100 + ((count * 7 + lane) % 1_000)}`;
      expect((await client.get(id)).json).toMatchObject({ new_user_group: false, user_group: { token: old.get(id) } });
    } else if (lane < 4) {
      const id = `old-${lane}`;
      const { status, json } = await client.rotate(rotated.get(id) ?? old.get(id) ?? "", keyOf(count));
      expect(status, JSON.stringify(json)).toBe(200);
      rotated.set(id, json.user_group.token);
    } else {
      const { json } = await client.get(`new-${lane}-${count}`);
      expect(json.new_user_group, JSON.stringify(json)).toBe(true);
      made.set(json.user_group.provided_id, json.user_group.token);
    }
  });
  const rekey = await command(["rekey"], settings);
  await load.stop();
  expect(rekey).toMatchObject({ code: 0, stderr: "" });
  expect(rekey.stdout).toMatch(
    /^Sealed again, under SECRET_KEY: \d+ user group tokens, 1 API tokens, \d+ remembered answers, /,
  );
  await Promise.all(services.map((service) => service.stop()));

  expect(await refused({ DATABASE_URL, SECRET_KEY: oldKey })).toContain("SECRET_KEY is not the key");
  const after = await start({ DATABASE_URL, SECRET_KEY: key });
  const client = clientOf(after.url, token);
  for (const [id, current] of [...old, ...rotated, ...made]) {
    if (id === "old-0" || (rotated.has(id) && rotated.get(id) !== current)) continue;
    expect((await client.get(id)).json).toMatchObject({ new_user_group: false, user_group: { token: current } });
  }
  expect((await client.rotate(old.get("old-0") ?? "", replayed)).text).toBe(rotation.text);
  expect((await client.rotate(old.get("old-1") ?? "")).status).toBe(200);
});

test("a group deleted during a key change is found by its token and restored under the new key", {
  tag: "@release",
}, async ({ start, createDatabase }) => {
  const DATABASE_URL = await createDatabase();
  const [oldKey, key] = [newKey(), newKey()];
  const before = await start({ DATABASE_URL, SECRET_KEY: oldKey });
  const token = await createApiToken({ DATABASE_URL, SECRET_KEY: oldKey }, "--preset", "full");
  const send = (url: string, method: string, where: string, body: object) =>
    fetch(url + where, {
      method,
      headers: { authorization: `Token ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    }).then((response) => response.json());
  const { user_group } = (await clientOf(before.url, token).get("deleted")).json;
  expect(await send(before.url, "DELETE", "/api/user", { user_group_id: "deleted" })).toEqual({ success: 1 });
  await before.stop();
  const rekey = await command(["rekey"], { DATABASE_URL, SECRET_KEY: key, PREVIOUS_SECRET_KEY: oldKey });
  expect(rekey).toMatchObject({ code: 0, stderr: "" });
  expect(rekey.stdout).toContain("1 tokens of recently deleted groups");
  const after = await start({ DATABASE_URL, SECRET_KEY: key });
  const found = await send(after.url, "POST", "/api/user-groups/find-by-token", { text: user_group.token });
  expect(found).toMatchObject({ found: "deleted", user_group: { team_id: user_group.team_id, exists: false } });
  const restored = await send(after.url, "POST", "/api/user-groups/restore", { user_group_id: "deleted" });
  expect(restored).toMatchObject({ success: 1, user_group: { team_id: user_group.team_id } });
  expect((await clientOf(after.url, token).get("deleted")).json.user_group.token).toBe(user_group.token);
});

test("a rename during a key change keeps the token, as history and events say", async ({ start, createDatabase }) => {
  const DATABASE_URL = await createDatabase();
  const [oldKey, key] = [newKey(), newKey()];
  const before = await start({ DATABASE_URL, SECRET_KEY: oldKey });
  const token = await createApiToken({ DATABASE_URL, SECRET_KEY: oldKey }, "--preset", "full");
  const { user_group } = (await clientOf(before.url, token).get("named")).json;
  await before.stop();
  const { url } = await start({ DATABASE_URL, SECRET_KEY: key, PREVIOUS_SECRET_KEY: oldKey });
  const headers = { authorization: `Token ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({ user_group_id: "named", new_user_group_id: "renamed" });
  expect(await (await fetch(`${url}/api/user`, { method: "PATCH", headers, body })).json()).toMatchObject({
    user_group: { provided_id: "renamed", token: user_group.token },
  });
  const { entries } = await (await fetch(`${url}/api/user-groups/history`, { headers })).json();
  expect(entries[0]).toMatchObject({ action: "user_group.renamed", token_changed: false });
  const { events } = await (await fetch(`${url}/api/events?types=user_group.renamed&wait=10`, { headers })).json();
  expect(events).toMatchObject([{ data: { changed: ["provided_id"] } }]);
});

async function createGroups(client: Client, count: number): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  let next = 0;
  const lane = async () => {
    for (let id = `old-${next++}`; next <= count; id = `old-${next++}`) {
      tokens.set(id, (await client.get(id)).json.user_group.token);
    }
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  return tokens;
}

/** Every second rotation could be repeated. */
function keyOf(count: number): Record<string, string> {
  return count % 2 === 0 ? {} : { "idempotency-key": randomBytes(8).toString("hex") };
}

test.describe("API_TOKEN", () => {
  const tagOf = async (client: Client) => {
    await client.get("group");
    return (await client.put("group")).json.user_group?.api_environment_tag;
  };

  test("is valid from the start, and changing it replaces the token", { tag: "@release" }, async ({
    start,
    createDatabase,
  }) => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: newKey() };
    const [first, second] = ["first!", "second"].map((text) => text.padEnd(32, "~")) as [string, string];
    // Two concurrent starts, as in a deployment: one provisions, the other finds it done.
    const services = await Promise.all([
      start({ ...settings, API_TOKEN: first }),
      start({ ...settings, API_TOKEN: first }),
    ]);
    for (const { url } of services) expect(await tagOf(clientOf(url, first))).toBe("Testing");
    const dump = await dumpDatabase(settings.DATABASE_URL);
    for (const trace of [first, Buffer.from(first).toString("hex")]) expect(dump).not.toContain(trace);
    expect(await query(settings.DATABASE_URL, "SELECT name FROM api_token")).toEqual([{ name: "API_TOKEN" }]);

    const changed = await start({ ...settings, API_TOKEN: second });
    expect(await tagOf(clientOf(changed.url, second))).toBe("Testing");
    for (const { url } of [...services, changed]) expect((await clientOf(url, first).get("group")).status).toBe(401);
  });

  test("can be replaced: a start accepts either value while both are valid, and a third ends both", {
    tag: "@release",
  }, async ({ start, refused, createDatabase }) => {
    test.setTimeout(120_000);
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: newKey() };
    const [first, third] = ["first!", "third!"].map((text) => text.padEnd(32, "~")) as [string, string];
    const statusOf = async (url: string, token: string) => (await clientOf(url, token).get("group")).status;
    await (await start({ ...settings, API_TOKEN: first })).stop();
    const [{ id } = { id: 0 }] = await query<{ id: number }>(settings.DATABASE_URL, "SELECT id FROM api_token");
    const replaced = await command(["api-token", "replace", String(id), "--overlap", "1h"], settings);
    expect(replaced).toMatchObject({ code: 0, stderr: "" });
    const second = replaced.stdout.trim();

    for (const API_TOKEN of [first, second]) {
      const service = await start({ ...settings, API_TOKEN });
      expect([await statusOf(service.url, first), await statusOf(service.url, second)]).toEqual([200, 200]);
      await service.stop();
    }
    await query(settings.DATABASE_URL, "UPDATE api_token SET expires_at = now() WHERE id = $1", [id]);
    expect(await refused({ ...settings, API_TOKEN: first })).toContain("API_TOKEN has been replaced");
    await query(settings.DATABASE_URL, "UPDATE api_token SET expires_at = now() + interval '1 hour' WHERE id = $1", [
      id,
    ]);
    const service = await start({ ...settings, API_TOKEN: third });
    const statuses = [first, second, third].map((token) => statusOf(service.url, token));
    expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
  });

  test("and its replacement survive a rekey", { tag: "@release" }, async ({ start, createDatabase }) => {
    test.setTimeout(120_000);
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: newKey() };
    const first = "first!".padEnd(32, "~");
    await (await start({ ...settings, API_TOKEN: first })).stop();
    const [{ id } = { id: 0 }] = await query<{ id: number }>(settings.DATABASE_URL, "SELECT id FROM api_token");
    const later = { ...settings, SECRET_KEY: newKey(), PREVIOUS_SECRET_KEY: settings.SECRET_KEY };
    // Sealed under the new key, in a row still bound under the previous one.
    const replaced = await command(["api-token", "replace", String(id), "--overlap", "1h"], later);
    expect(replaced).toMatchObject({ code: 0, stderr: "" });
    expect(await command(["rekey"], later)).toMatchObject({ code: 0, stderr: "" });
    const service = await start({ DATABASE_URL: settings.DATABASE_URL, SECRET_KEY: later.SECRET_KEY });
    for (const token of [first, replaced.stdout.trim()]) {
      expect((await clientOf(service.url, token).get("group")).status).toBe(200);
    }
  });

  test("belongs to the environment named by API_TOKEN_ENVIRONMENT", { tag: "@release" }, async ({
    start,
    refused,
    createDatabase,
  }) => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: newKey(), API_TOKEN: "p".repeat(32) };
    const service = await start({ ...settings, API_TOKEN_ENVIRONMENT: "production" });
    expect(await tagOf(clientOf(service.url, settings.API_TOKEN))).toBe("Customer");
    await service.stop();
    expect(await refused(settings)).toContain("API_TOKEN belongs to an environment other than testing");
    const nowhere = { ...settings, API_TOKEN: "q".repeat(32), API_TOKEN_ENVIRONMENT: "staging" };
    expect(await refused(nowhere)).toContain("production, testing");

    await query(settings.DATABASE_URL, "UPDATE api_token SET expires_at = now()");
    const later = await start({ ...settings, API_TOKEN_ENVIRONMENT: "production" });
    expect(later.said()).toContain("The token in API_TOKEN has expired.");
  });

  test("that is too short is refused", async ({ refused, createDatabase }) => {
    const settings = { DATABASE_URL: await createDatabase(), SECRET_KEY: newKey() };
    expect(await refused({ ...settings, API_TOKEN: "t".repeat(31) })).toContain("API_TOKEN: must be 32 to 255");
  });
});
