import { randomBytes } from "node:crypto";
import { readFile, readlink } from "node:fs/promises";
import { SCOPES } from "@/lib/authority/scopes";
import { adminClient, deleteEnvironments } from "../fixtures/admin-client";
import { test as base, call, createGroup, type Database, expect, expectError, newId } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { dumpDatabase, pgDump, tracesOf } from "../fixtures/database-dump";
import { command, createApiToken, run } from "../fixtures/run";

interface Secrets {
  place: Awaited<ReturnType<typeof placeWithSecrets>>;
  /** every token created, used and replaced, to be searched for afterwards */
  tokens: string[];
  /** public values that the search must find */
  canary: string;
  /** the last request that involved a token */
  lastRequestId: string;
}

/** An environment in which each kind of secret was created, used, replaced and misused. */
async function placeWithSecrets(database: Database, settings: { DATABASE_URL: string; SECRET_KEY: string }) {
  const environment = `e${randomBytes(6).toString("hex")}`;
  await database.query("INSERT INTO environment (slug, name, tag) VALUES ($1, $1, 'Testing')", [environment]);
  const token = await insertApiToken(settings, { environment, scopes: SCOPES });
  const send = (method: string, path: string, body?: unknown) => call(method, path, { token, body });
  const done = async (...args: Parameters<typeof send>) => {
    const { status, text, json } = await send(...args);
    expect(status, text).toBe(200);
    return json;
  };
  const [first, second] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
  const templates = (secret: string, rest: object = {}) => ({
    templates: { own: { claims: { id: "{{user_group_id}}" }, signing: { algorithm: "HS256", secret }, ...rest } },
  });
  await done("PUT", "/api/viewer-settings", templates(first));
  await done("PUT", "/api/settings", templates(second));
  const changes = [await send("PUT", "/api/settings?dry_run=true", templates(first))];
  const refusals = await Promise.all([
    send("PUT", "/api/viewer-settings", templates(`${first}\n`)),
    send("PUT", "/api/viewer-settings", templates(first, { signing: { algorithm: "HS256", key: second } })),
    send("PUT", "/api/viewer-settings", templates(first, { signing: { algorithm: "none", secret: second } })),
    send("PUT", "/api/settings", JSON.stringify(templates(first)).slice(0, -5)),
  ]);
  for (const { status } of refusals) expect([400, 422]).toContain(status);
  const url = "https://127.0.0.1:1/";
  const { webhook, secret } = await done("POST", "/api/webhooks", { url, types: ["user_group.*"] });
  const rotated = await done("POST", "/api/webhooks/rotate-secret", { webhook_id: webhook.id });
  const group = (await done("GET", "/api/user", { user_group_id: newId("place") })).user_group;
  const overlap = { current_token: group.token, overlap_seconds: 600 };
  const { token: current } = (await done("POST", "/api/user", overlap)).user_group;
  const mint = async (more: object) =>
    (await done("POST", "/api/viewer-tokens", { user_group_id: group.provided_id, ...more })).viewer_token as string;
  const minted = [await mint({ viewer: "ada" }), await mint({ template: "own" }), await mint({ typ: "JWT" })];
  for (const one of [...minted, group.token, current]) await done("POST", "/api/viewer", { token: one });
  const replaced = await done("POST", "/api/api-tokens/replace", { overlap_seconds: 3_600 });
  return {
    environment,
    token,
    webhook,
    answers: [...changes, ...refusals],
    tokens: [token, replaced.api_token, group.token, current] as string[],
    others: [first, second, ...[secret, rotated.secret].map((one: string) => one.slice("whsec_".length)), ...minted],
  };
}

const test = base.extend<object, { secrets: Secrets }>({
  secrets: [
    async ({ stage, database }, use) => {
      const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
      const apiToken = await createApiToken(settings);
      const options = { token: apiToken };
      const tokens = [apiToken, ...Object.values(stage.tokens)];
      const canary = newId("canary");
      const group = await createGroup({ properties: { canary } }, options);
      tokens.push(group.token);
      for (const headers of [{}, { "idempotency-key": newId("key") }, {}]) {
        const body = { current_token: tokens.at(-1) };
        tokens.push((await call("POST", "/api/user", { ...options, headers, body })).json.user_group.token);
      }
      await call("PUT", "/api/user", { ...options, body: { user_group_id: group.provided_id, name: "N" } });
      // Places where tokens do not belong, but sooner or later appear.
      await call("GET", `/api/user?token=${apiToken}&user_group_id=${group.token}`);
      await call("GET", `/api/user/${group.token}`, options);
      await call("GET", `/${apiToken}`, options);
      await call("GET", "/api/user", { token: `${apiToken}x`, body: { user_group_id: newId() } });
      await call("POST", "/api/user", { ...options, body: `{"current_token":"${group.token}"` });
      const last = await call("POST", "/api/user", { ...options, body: { current_token: group.token } });
      const place = await placeWithSecrets(database, settings);
      tokens.push(...place.tokens);
      await use({ tokens, canary, place, lastRequestId: String(last.headers["x-request-id"]) });
      await deleteEnvironments(database, [place.environment]);
    },
    { scope: "worker" },
  ],
});

function expectNone({ tokens, place }: Pick<Secrets, "tokens" | "place">, text: string) {
  expect(tokens.length).toBeGreaterThan(11);
  const others = place.others.flatMap((one) => [one, Buffer.from(one).toString("hex")]);
  for (const trace of [...tokens.flatMap(tracesOf), ...others]) expect(text.includes(trace)).toBe(false);
}

test.describe("a dump", () => {
  test("of every table holds no token", { tag: "@release" }, async ({ stage, secrets }) => {
    const dump = await dumpDatabase(stage.databaseUrl);
    expect(dump).toContain(secrets.canary);
    expectNone(secrets, dump);
  });

  test("by pg_dump holds no token", async ({ stage, secrets, database }) => {
    const [{ version }] = await database.query("SELECT current_setting('server_version_num')::int / 10000 AS version");
    const { stdout: own } = await run("pg_dump", ["--version"]).catch(() => ({ stdout: "" }));
    test.skip(own === "", "pg_dump is not installed");
    const major = Number(/(\d+)/.exec(own)?.[1]);
    test.skip(major < version, `pg_dump ${major} cannot read a server of version ${version}`);
    const dump = await pgDump("pg_dump", stage.databaseUrl);
    expect(dump).toContain(secrets.canary);
    expectNone(secrets, dump);
  });
});

test("the database's files contain no token, including the write-ahead log", { tag: "@release" }, async ({
  secrets,
  database,
}) => {
  test.skip(process.platform !== "linux" || process.getuid?.() !== 0, "needs root on Linux to read them");
  await database.query("CHECKPOINT");
  const [{ pid }] = await database.query("SELECT pg_backend_pid() AS pid");
  const folder = await readlink(`/proc/${pid}/cwd`);
  const filesWith = async (text: string) => (await run("grep", ["-rlF", text, folder])).stdout;
  expect(await filesWith(secrets.canary)).not.toBe("");
  for (const trace of secrets.tokens.flatMap(tracesOf)) expect(await filesWith(trace)).toBe("");
});

/** Everything that an API token can read. */
const READS = [
  "/api/user-groups",
  "/api/user-groups/summary",
  "/api/user-groups/deleted",
  "/api/user-groups/history?limit=200",
  ...["export?format=csv", "export?format=jsonl", "history/export?format=csv", "history/export?format=jsonl"].map(
    (file) => `/api/user-groups/${file}`,
  ),
  "/api/settings",
  "/api/viewer-settings",
  "/api/webhooks",
  "/api/events?include=states&limit=500",
  "/api/definitions",
  "/api/definitions/suggestion",
  "/api/definitions/findings",
  "/api/jobs",
  "/api/revocations",
  "/api/usage",
  "/api/usage?by=user_group",
  "/api/diagnosis",
  "/openapi.json",
  "/readyz",
  "/healthz",
];
/** What an owner can also read. */
const ADMIN_READS = ["session", "account", "activity/actors", "api-tokens", "environments", "viewer-keys", "members"];

test("no list, export, refusal, delivery or command reveals a secret", async ({ stage, secrets, database }) => {
  const { environment, token, webhook, answers } = secrets.place;
  const owner = await adminClient(database, "owner", environment);
  const invited = await owner.post("members/invites", { email: `${newId()}@example.com`, role: "viewer" });
  const texts = new Map(answers.map(({ text }, n) => [`answer ${n}`, text]));
  const places = [`/api/webhooks/deliveries?webhook_id=${webhook.id}`, `/e/${environment}/.well-known/jwks.json`];
  places.push(`/e/${environment}/own/.well-known/jwks.json`, `/e/${environment}/.well-known/openid-configuration`);
  const { address } = await waitForDelivery(token, webhook.id);
  for (const path of [...READS, ...places, address]) {
    const { status, text } = await call("GET", path, { token });
    expect(status, `${path} ${text}`).toBe(200);
    texts.set(path, text);
  }
  for (const path of ADMIN_READS) {
    const { status, text } = await owner.get(path);
    expect(status, `${path} ${text}`).toBe(200);
    texts.set(path, text);
  }
  const whole = await owner.groups("/history", { scope: "all", limit: 200 });
  const settings = { DATABASE_URL: stage.databaseUrl, SECRET_KEY: stage.secretKey };
  const { stdout } = await command(["events"], settings);
  expect(stdout).toContain(environment);
  texts.set("history of all", whole.text).set("events", stdout);
  const [, link = ""] = /#(.+)$/.exec(invited.json.link) ?? [];
  const [, cookie = ""] = /session_token=([^;]+)/.exec(owner.cookie) ?? [];
  const [session = "", signature = ""] = decodeURIComponent(cookie).split(".");
  const ours = { link, session, signature, secretKey: stage.secretKey, password: stage.owner.password };
  for (const [what, text] of texts) {
    await test.step(what, () => expectNone(secrets, text));
    for (const [name, secret] of Object.entries(ours)) {
      expect(secret, name).not.toBe("");
      const telling = text.split("\n").filter((line) => line.includes(secret));
      expect(
        telling.map((line) => line.replaceAll(secret, "…")),
        `${name} in ${what}`,
      ).toEqual([]);
    }
  }
});

/** Waits until an event was sent to the webhook's address, where nothing listens. */
async function waitForDelivery(token: string, id: number) {
  const address = `/api/webhooks/deliveries?webhook_id=${id}&limit=100`;
  const attempts = async () => (await call("GET", address, { token })).json.deliveries[0]?.attempts.length ?? 0;
  await expect.poll(attempts, { timeout: 15_000 }).toBeGreaterThan(0);
  return { address };
}

test("the logs are lines of JSON with a request id each, and no token", async ({ stage, secrets }) => {
  const logs = () => Promise.all(stage.logs.map((file) => readFile(file, "utf8")));
  await expect.poll(async () => (await logs()).join(), { timeout: 10_000 }).toContain(secrets.lastRequestId);
  expectNone(secrets, (await logs()).join());
  // An unfinished last line is still being written.
  const lines = (await logs()).flatMap((text) => text.split("\n").slice(0, -1));
  expect(lines.map((line) => JSON.parse(line)).find(({ id }) => id === secrets.lastRequestId)).toEqual({
    level: 30,
    time: expect.any(String),
    id: secrets.lastRequestId,
    method: "POST",
    path: "/api/user",
    status: 404,
    duration_ms: expect.any(Number),
    environment: "testing",
  });
});

test.describe("in the table", () => {
  const groupIn = async (id: string) => call("GET", "/api/user", { body: { user_group_id: id } });
  const twoGroups = async () => [await createGroup(), await createGroup(), await createGroup()] as const;

  for (const [what, columns] of [
    ["ciphertexts", ["token_sealed"]],
    ["ciphertexts with their hashes", ["token_sealed", "token_index"]],
  ] as const) {
    test(`${what} swapped between two groups reveal neither token`, async ({ database }) => {
      const [one, other, bystander] = await twoGroups();
      const rows = await database.query("SELECT * FROM user_group WHERE team_id = ANY ($1) ORDER BY team_id", [
        [one.team_id, other.team_id],
      ]);
      const write = (team_id: number, row: Record<string, unknown>) =>
        database.query(
          `UPDATE user_group SET ${columns.map((column, at) => `${column} = $${at + 2}`)} WHERE team_id = $1`,
          [team_id, ...columns.map((column) => row[column])],
        );
      // The hash is unique, so one row is moved aside first.
      await write(one.team_id, { token_sealed: Buffer.alloc(90), token_index: Buffer.alloc(32, one.team_id) });
      await write(other.team_id, rows[0]);
      await write(one.team_id, rows[1]);
      for (const { provided_id } of [one, other]) {
        const answer = expectError(await groupIn(provided_id), 500, "internal");
        for (const { token } of [one, other]) expect(answer.text).not.toContain(token.slice(4, 20));
      }
      expect((await groupIn(bystander.provided_id)).json.user_group.token).toBe(bystander.token);

      await write(one.team_id, { token_sealed: Buffer.alloc(90), token_index: Buffer.alloc(32, one.team_id) });
      await write(other.team_id, rows[1]);
      await write(one.team_id, rows[0]);
      expect((await groupIn(one.provided_id)).json.user_group.token).toBe(one.token);
    });
  }

  test("one flipped bit, anywhere, breaks only that group", async ({ database }) => {
    const [group, bystander] = await twoGroups();
    const [{ token_sealed: sealed }] = await database.query("SELECT token_sealed FROM user_group WHERE team_id = $1", [
      group.team_id,
    ]);
    const write = (value: Buffer) =>
      database.query("UPDATE user_group SET token_sealed = $2 WHERE team_id = $1", [group.team_id, value]);
    for (const [at] of sealed.entries()) {
      const damaged = Buffer.from(sealed);
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (at % 8)), at);
      await write(damaged);
      const answer = expectError(await groupIn(group.provided_id), 500, "internal");
      expect(answer.text).not.toContain(group.token.slice(4, 20));
    }
    for (const length of [0, 1, 20, sealed.length - 1]) {
      await write(sealed.subarray(0, length));
      expectError(await groupIn(group.provided_id), 500, "internal");
    }
    expect((await groupIn(bystander.provided_id)).json.user_group.token).toBe(bystander.token);
    await write(sealed);
    expect((await groupIn(group.provided_id)).json.user_group.token).toBe(group.token);
  });
});
