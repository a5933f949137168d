import { PRESETS } from "@/lib/authority/scopes";
import { deliveriesAnswer, webhookAnswer, webhookSecretAnswer, webhooksAnswer } from "@/lib/webhooks/schema";
import { createEnvironment } from "../fixtures/admin-client";
import { call, type Database, expect, expectError, test } from "../fixtures/api";
import { insertApiToken } from "../fixtures/api-token";
import { stage } from "../fixtures/stage";

/** Nothing listens on this port. */
const CLOSED = "https://127.0.0.1:1/hook";

/** Calls in an environment unique to this test. */
async function openWebhooks(database: Database) {
  const { databaseUrl, secretKey } = stage();
  const environment = await createEnvironment(database);
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
  const token = await insertApiToken(settings, { environment, scopes: PRESETS.full });
  const ask = (method: "GET" | "POST" | "PATCH" | "DELETE", path = "", body?: object) =>
    call(method, `/api/webhooks${path}`, { token, ...(body && { body }) });
  const history = () =>
    database.query(
      `SELECT action, before, after FROM audit_entry a JOIN environment e ON e.id = a.environment_id
       WHERE slug = $1 AND action LIKE 'webhook.%' ORDER BY a.id`,
      [environment],
    );
  return { environment, ask, history };
}

test("a webhook is created, changed, given a new secret and deleted, each with a history entry", async ({
  database,
}) => {
  const { ask, history } = await openWebhooks(database);
  const created = webhookSecretAnswer.parse(
    (await ask("POST", "", { url: `${CLOSED}?key=hidden`, description: "billing", types: ["user_group.*"] })).json,
  );
  expect(created.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(created.webhook).toMatchObject({ url: `${CLOSED}?key=hidden`, description: "billing", enabled: true });
  const { id } = created.webhook;
  const changed = webhookAnswer.parse((await ask("PATCH", "", { webhook_id: id, enabled: false, types: null })).json);
  expect(changed.webhook).toMatchObject({ enabled: false, disabled_reason: "asked", types: null });
  expect((await ask("PATCH", "", { webhook_id: id, url: `${CLOSED}/other` })).status).toBe(200);
  const rotated = webhookSecretAnswer.parse((await ask("POST", "/rotate-secret", { webhook_id: id })).json);
  expect(rotated.secret).not.toBe(created.secret);
  const overlap = Date.parse(String(rotated.webhook.previous_secret_valid_until)) - Date.now();
  expect(Math.round(overlap / 3_600_000)).toBe(24);
  expect(webhooksAnswer.parse((await ask("GET")).json).webhooks).toHaveLength(1);
  expect((await ask("DELETE", "", { webhook_id: id })).status).toBe(200);
  expectError(await ask("DELETE", "", { webhook_id: id }), 404, "not_found");
  expect(webhooksAnswer.parse((await ask("GET")).json).webhooks).toEqual([]);
  const recorded = await history();
  expect(recorded.map(({ action }: { action: string }) => action)).toEqual([
    "webhook.created",
    "webhook.updated",
    "webhook.disabled",
    "webhook.updated",
    "webhook.secret_rotated",
    "webhook.deleted",
  ]);
  const text = JSON.stringify(recorded);
  for (const hidden of ["/hook", "key=hidden", created.secret, rotated.secret]) expect(text).not.toContain(hidden);
  const { origin: url } = new URL(CLOSED);
  expect(JSON.parse(recorded[0].after)).toEqual({ id, url, description: "billing", types: ["user_group.*"] });
  expect(JSON.parse(recorded[3].after)).toMatchObject({ url, path: "changed" });
});

const NOT_PUBLIC =
  "must have a host that DNS resolves to public addresses: an operator can open others with WEBHOOK_PRIVATE_NETWORKS";

for (const [url, message] of [
  ["http://example.com/", "must be an https URL"],
  ["ftp://example.com/", "must be an https URL"],
  ["example.com", "must be an https URL"],
  ["https://user:password@example.com/", "must not contain a user name or password: check the signature instead"],
  ["https://example.com/#part", "must not have a fragment"],
  ...["\u001b[31m", "\n", "\u202e"].map((unsafe) => [
    `https://example.com/${unsafe}x`,
    "must not contain control characters, bidirectional ones included, or noncharacters",
  ]),
  [`https://example.com/${"x".repeat(2_048)}`, "must have at most 2048 characters"],
  // Settings contain the encoded URL, so a longer one could not be applied again.
  [`https://example.com/${"ü".repeat(400)}`, "must have at most 2048 characters, percent-encoded"],
  ...[
    "https://10.0.0.1/",
    "https://169.254.169.254/latest",
    "https://[fe80::1]/",
    "https://[::ffff:10.0.0.1]/",
    "https://2852039166/",
    "https://0xa000001/",
    "https://012.0.0.1/",
    "https://[64:ff9b::a00:1]/",
    "https://0/",
  ].map((refused) => [refused, NOT_PUBLIC]),
  ["https://unknown.invalid/", NOT_PUBLIC],
] as [string, string][]) {
  test(`a webhook to ${encodeURI(url.slice(0, 60))} is refused`, async ({ database }) => {
    const { ask, history } = await openWebhooks(database);
    const refused = await ask("POST", "", { url });
    expectError(refused, 422, "invalid_fields");
    expect(refused.json.error.issues).toEqual([{ path: ["url"], message }]);
    const { webhook } = webhookSecretAnswer.parse((await ask("POST", "", { url: CLOSED })).json);
    expectError(await ask("PATCH", "", { webhook_id: webhook.id, url }), 422, "invalid_fields");
    expect(await history()).toHaveLength(1);
  });
}

test("a URL is shown as it is called", async ({ database }) => {
  const { ask } = await openWebhooks(database);
  for (const written of [
    "https://%31%32%37.0.0.1:1/hook",
    "https://１２７.0.0.1:1/hook",
    " HTTPS:\\\\127.1:1/hook",
    "https:2130706433:1/hook",
  ]) {
    const { webhook } = webhookSecretAnswer.parse((await ask("POST", "", { url: written })).json);
    expect(webhook.url).toBe(CLOSED);
    const moved = { webhook_id: webhook.id, url: written.replace("hook", "other") };
    expect(webhookAnswer.parse((await ask("PATCH", "", moved)).json).webhook.url).toBe("https://127.0.0.1:1/other");
  }
});

test("an environment has at most 20 webhooks, even if they are created concurrently", async ({ database }) => {
  const { ask } = await openWebhooks(database);
  const answers = await Promise.all(Array.from({ length: 25 }, () => ask("POST", "", { url: CLOSED })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  for (const refused of answers.filter(({ status }) => status !== 200)) expectError(refused, 409, "conflict");
});

test("deliveries without a webhook_id are refused", async ({ database }) => {
  const { ask } = await openWebhooks(database);
  const refused = await ask("GET", "/deliveries");
  expectError(refused, 422, "invalid_fields");
  expect(refused.json.error.issues).toEqual([{ path: ["webhook_id"], message: "must be a whole number" }]);
});

test("a test is sent once and logged, and can be replayed", async ({ database }) => {
  const { ask } = await openWebhooks(database);
  const { webhook } = webhookSecretAnswer.parse((await ask("POST", "", { url: CLOSED, types: ["member.*"] })).json);
  const body = { webhook_id: webhook.id };
  expect((await ask("POST", "/test", body)).json.delivery).toMatchObject({ state: "waiting", type: "webhook.test" });
  const deliveries = async (query = "") =>
    deliveriesAnswer.parse((await ask("GET", `/deliveries?webhook_id=${webhook.id}${query}`)).json);
  await expect.poll(async () => (await deliveries("&state=failed")).deliveries.length).toBe(1);
  const [failed] = (await deliveries()).deliveries;
  expect(failed?.attempts).toEqual([expect.objectContaining({ status: null, error: "connect" })]);
  expect(JSON.parse(String(failed?.body))).toMatchObject({ type: "webhook.test", data: { team_id: null } });
  expect((await ask("POST", "/replay", { ...body, delivery_id: failed?.id })).json.deliveries).toBe(1);
  await expect.poll(async () => (await deliveries()).deliveries[0]?.attempts.length).toBe(2);
  for (let n = 0; n < 2; n++) await ask("POST", "/test", body);
  const first = await deliveries("&limit=2");
  const second = await deliveries(`&limit=2&cursor=${first.next_cursor}`);
  expect([...first.deliveries, ...second.deliveries].map(({ id }) => Number(id)).sort((a, b) => b - a)).toHaveLength(3);
  expect(second.next_cursor).toBeNull();
});

test("a webhook has at most 10 pending tests", async ({ database }) => {
  const { ask } = await openWebhooks(database);
  const { webhook } = webhookSecretAnswer.parse((await ask("POST", "", { url: CLOSED, types: ["member.*"] })).json);
  // Paused, so that no test is sent.
  await database.query("UPDATE webhook SET paused_until = now() + interval '1 hour' WHERE id = $1", [webhook.id]);
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask("POST", "/test", { webhook_id: webhook.id })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  for (const refused of answers.filter(({ status }) => status !== 200)) expectError(refused, 409, "conflict");
});

test("a disabled webhook accepts no test and no replay", async ({ database }) => {
  const { ask } = await openWebhooks(database);
  const { webhook } = webhookSecretAnswer.parse((await ask("POST", "", { url: CLOSED, types: ["member.*"] })).json);
  const body = { webhook_id: webhook.id };
  await ask("PATCH", "", { ...body, enabled: false });
  expectError(await ask("POST", "/test", body), 409, "conflict");
  expectError(await ask("POST", "/replay", { ...body, failed: true }), 409, "conflict");
});

test("other environments' webhooks are not found", async ({ database }) => {
  const [ours, theirs] = [await openWebhooks(database), await openWebhooks(database)];
  const { webhook } = webhookSecretAnswer.parse((await theirs.ask("POST", "", { url: CLOSED })).json);
  const body = { webhook_id: webhook.id };
  for (const answer of [
    await ours.ask("PATCH", "", { ...body, enabled: false }),
    await ours.ask("DELETE", "", body),
    await ours.ask("POST", "/rotate-secret", body),
    await ours.ask("POST", "/test", body),
    await ours.ask("POST", "/replay", { ...body, failed: true }),
    await ours.ask("GET", `/deliveries?webhook_id=${webhook.id}`),
    await ours.ask("GET", "/deliveries?webhook_id=2147483647"),
  ]) {
    expectError(answer, 404, "not_found");
  }
  const { deliveries } = (await theirs.ask("GET", `/deliveries?webhook_id=${webhook.id}`)).json;
  for (const { type } of deliveries) expect(type).toBe("webhook.created");
});

test("callers without the right to read events cannot manage webhooks for them", async ({ database }) => {
  const { environment } = await openWebhooks(database);
  const { databaseUrl, secretKey } = stage();
  const settings = { DATABASE_URL: databaseUrl, SECRET_KEY: secretKey };
  const token = await insertApiToken(settings, { environment, scopes: ["webhooks:write"] });
  const refused = expectError(await call("POST", "/api/webhooks", { token, body: { url: CLOSED } }), 403, "forbidden");
  expect(refused.json.error.message).toContain("events:read");
});

for (const [path, body, field] of [
  ["", { url: CLOSED, types: [] }, "types"],
  ["", { url: CLOSED, types: ["user_group.nope"] }, "types"],
  ["", { url: CLOSED, secret: "mine" }, "secret"],
  ["/replay", { webhook_id: 1 }, undefined],
  ["/replay", { webhook_id: 1, failed: true, since: "2026-11-20T08:00:00Z" }, undefined],
  ["/replay", { webhook_id: 1, since: "yesterday" }, "since"],
  ["/test", { webhook_id: "1" }, "webhook_id"],
] as [string, object, string | undefined][]) {
  test(`POST ${path} with ${JSON.stringify(body)} is refused`, async ({ database }) => {
    const { ask } = await openWebhooks(database);
    const refused = await ask("POST", path, body);
    expectError(refused, 422, "invalid_fields");
    expect(refused.json.error.issues[0].path[0]).toBe(field);
  });
}
