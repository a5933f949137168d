import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { Webhook } from "standardwebhooks";
import { request } from "undici";
import { closePool, openPool } from "@/lib/db/pool";
import { PRESETS } from "@/lib/db/scopes";
import { deliveriesAnswer, webhookSecretAnswer, webhooksAnswer } from "@/lib/webhooks/schema";
import { forgetPreviousSecrets, purgeDeliveries } from "@/lib/webhooks/service";
import { insertApiToken } from "../fixtures/api-token";
import { clientOf } from "../fixtures/client";
import { test as base, expect, query } from "../fixtures/own-service";
import { answering, makeCertificate, type Receiver, receiverOf } from "../fixtures/receiver";
import { command } from "../fixtures/run";

const SECRET_KEY = "ab".repeat(32);
/** A receiver that hangs is waited for. */
const HANGING = { timeout: 60_000 };

interface Settings extends Record<string, string> {
  DATABASE_URL: string;
  SECRET_KEY: string;
}

interface Fixtures {
  settings: Settings;
  receive: (answer?: Receiver["answer"]) => Promise<Receiver>;
}

const test = base.extend<Fixtures & { certificate: Awaited<ReturnType<typeof makeCertificate>> }>({
  certificate: async ({ folder }, use) => use(await makeCertificate(folder)),
  settings: async ({ createDatabase, certificate }, use) =>
    use({
      DATABASE_URL: await createDatabase(),
      SECRET_KEY,
      NODE_EXTRA_CA_CERTS: certificate.file,
      WEBHOOK_PRIVATE_NETWORKS: "127.0.0.0/8",
    }),
  receive: async ({ certificate }, use) => {
    const receivers: Receiver[] = [];
    await use(async (answer) => {
      const receiver = await receiverOf(certificate, answer);
      receivers.push(receiver);
      return receiver;
    });
    await Promise.all(receivers.map((receiver) => receiver.close()));
  },
});

/** Calls of a service about webhooks and groups. */
async function openCalls(url: string, settings: Settings, environment = "testing") {
  const token = await insertApiToken(settings, { environment, scopes: PRESETS.full });
  const client = clientOf(url, token);
  const fetchJson = async (method: string, path: string, body?: object) => {
    const response = await request(`${url}${path}`, {
      method,
      headers: { authorization: `Token ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      reset: true,
    });
    const text = await response.body.text();
    return { status: response.statusCode, json: JSON.parse(text) as unknown, text };
  };
  const send = async (method: string, path: string, body: object) => {
    const { status, json, text } = await fetchJson(method, path, body);
    expect(status, text).toBe(200);
    return json;
  };
  const ask = (method: string, path: string, body?: object) => fetchJson(method, `/api/webhooks${path}`, body);
  const expectDone = (method: string, path: string, body: object) => send(method, `/api/webhooks${path}`, body);
  const list = async () => webhooksAnswer.parse((await ask("GET", "")).json).webhooks;
  return {
    token,
    ask,
    list,
    one: async (id: number) => {
      const found = (await list()).find((webhook) => webhook.id === id);
      if (!found) throw new Error("the webhook is gone");
      return found;
    },
    create: async (to: Pick<Receiver, "url">, types: string[] | null = ["user_group.created"]) =>
      webhookSecretAnswer.parse(await expectDone("POST", "", { url: to.url, types })),
    change: (id: number, change: object) => expectDone("PATCH", "", { webhook_id: id, ...change }),
    rotate: async (id: number) =>
      webhookSecretAnswer.parse(await expectDone("POST", "/rotate-secret", { webhook_id: id })),
    replay: (id: number, which: object) => expectDone("POST", "/replay", { webhook_id: id, ...which }),
    deliveries: async (id: number) =>
      deliveriesAnswer.parse((await ask("GET", `/deliveries?webhook_id=${id}&limit=100`)).json).deliveries,
    remove: (id: string) => send("DELETE", "/api/user", { user_group_id: id }),
    purge: (teamId: number) => send("POST", "/api/user-groups/purge", { team_id: teamId }),
    async group(id: string) {
      const { status, text } = await client.get(id);
      expect(status, text).toBe(200);
    },
  };
}

/** Makes what waits due now. */
const hurry = async (settings: Settings) => {
  const url = settings.DATABASE_URL;
  await query(url, "UPDATE webhook_delivery SET next_at = now() WHERE state = 'waiting'");
  await query(url, "UPDATE webhook SET paused_until = NULL");
};

test("events arrive in order, signed, as the feed shows them, and are logged", async ({ start, settings, receive }) => {
  const { url, log } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive();
  const { webhook, secret } = await calls.create(receiver);
  for (let n = 0; n < 30; n++) await calls.group(`g-${n}`);
  await expect.poll(receiver.groups).toHaveLength(30);
  expect(new Set(receiver.groups()).size).toBe(30);
  for (const { headers, body } of receiver.received) {
    const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(new Webhook(secret).verify(body, named)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(`${body} `, named)).toThrow();
    expect(headers["user-agent"]).toMatch(/^user-group-service\//);
    expect(headers["content-type"]).toBe("application/json");
  }
  await expect.poll(async () => (await calls.deliveries(webhook.id)).length).toBe(30);
  const delivered = await calls.deliveries(webhook.id);
  expect(delivered.map(({ state, attempts }) => [state, attempts.map(({ status }) => status)])).toEqual(
    Array.from({ length: 30 }, () => ["delivered", [200]]),
  );
  expect(delivered.map(({ body }) => body).sort()).toEqual(receiver.received.map(({ body }) => body).sort());
  const { health } = await calls.one(webhook.id);
  expect(health).toMatchObject({ recent: delivered.map(() => "delivered"), waiting: 0, failing_since: null });

  const rotated = await calls.rotate(webhook.id);
  await calls.group("after");
  await expect.poll(receiver.groups).toHaveLength(31);
  const last = receiver.received[30];
  for (const one of [secret, rotated.secret]) {
    new Webhook(one).verify(String(last?.body), last?.headers as Record<string, string>);
  }
  const logged = await readFile(log, "utf8");
  for (const hidden of ["key=hidden", secret, rotated.secret]) expect(logged).not.toContain(hidden);
});

test("in opened networks a name may be known to this machine alone", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive();
  await calls.create({ url: receiver.url.replace("127.0.0.1", "localhost") });
  await calls.group("one");
  await expect.poll(receiver.groups).toEqual(["one"]);
});

test("a receiver that answers 500 is tried again later with the same id", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive(answering(500));
  const { webhook } = await calls.create(receiver);
  await calls.group("one");
  await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.attempts.length).toBe(1);
  expect((await calls.one(webhook.id)).health).toMatchObject({ waiting: 1, recent: ["waiting"] });
  expect((await calls.one(webhook.id)).health.failing_since).not.toBeNull();
  await hurry(settings);
  await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.attempts.length).toBe(2);
  receiver.answer = answering(204);
  await hurry(settings);
  await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.state).toBe("delivered");
  const [delivery] = await calls.deliveries(webhook.id);
  expect(delivery?.attempts.map(({ status, error }) => [status, error])).toEqual([
    [500, "status"],
    [500, "status"],
    [204, null],
  ]);
  expect(new Set(receiver.ids())).toEqual(new Set([delivery?.message_id]));
  expect((await calls.one(webhook.id)).health.failing_since).toBeNull();
});

test("a delivery is given up after three days, and can be replayed", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive(answering(500));
  const { webhook } = await calls.create(receiver);
  await calls.group("one");
  await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.attempts.length).toBe(1);
  await query(
    settings.DATABASE_URL,
    "UPDATE webhook_delivery SET given_up_at = now() + interval '1 second', next_at = now()",
  );
  await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.state).toBe("failed");
  await query(settings.DATABASE_URL, "UPDATE webhook SET paused_until = now() - interval '1 hour'");
  expect((await calls.one(webhook.id)).health.next_attempt_at).toBeNull();
  receiver.answer = answering(200);
  expect(await calls.replay(webhook.id, { failed: true })).toEqual({ success: 1, deliveries: 1 });
  await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.state).toBe("delivered");
  expect(new Set(receiver.ids()).size).toBe(1);
});

test("410 disables the webhook, and enabling it continues where it was", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive(answering(410));
  const { webhook } = await calls.create(receiver);
  await calls.group("one");
  await expect.poll(async () => (await calls.one(webhook.id)).disabled_reason).toBe("gone");
  const entries = await query<{ after: string; actor_type: string }>(
    settings.DATABASE_URL,
    "SELECT after, actor_type FROM audit_entry WHERE action = 'webhook.disabled'",
  );
  expect(entries).toHaveLength(1);
  expect(JSON.parse(String(entries[0]?.after))).toEqual({ url: receiver.url.split("?")[0], reason: "gone" });
  const doctor = await command(["doctor", url], { DOCTOR_TOKEN: calls.token });
  expect(doctor.stdout).toMatch(/webhooks +the service disabled 1: /);
  receiver.answer = answering(200);
  await calls.group("two");
  await sleep(3_000);
  expect(receiver.received).toHaveLength(1);
  await calls.change(webhook.id, { enabled: true });
  await expect.poll(() => receiver.groups().slice(1).sort()).toEqual(["one", "two"]);
});

test("five days of failures disable the webhook", { tag: "@release" }, async ({ start, settings, receive }) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive(answering(500));
  const { webhook } = await calls.create(receiver);
  await calls.group("one");
  await expect.poll(async () => (await calls.one(webhook.id)).health.failing_since).not.toBeNull();
  await query(settings.DATABASE_URL, "UPDATE webhook SET failing_since = now() - interval '5 days 1 second'");
  await hurry(settings);
  await expect.poll(async () => (await calls.one(webhook.id)).disabled_reason).toBe("failing");
});

for (const [what, headers] of [
  ["in seconds", { "Retry-After": "3600" }],
  [
    "by the receiver's wrong clock",
    { Date: "Mon, 01 Jan 2001 08:00:00 GMT", "Retry-After": "Mon, 01 Jan 2001 09:00:00 GMT" },
  ],
] as const) {
  test(`Retry-After ${what} is honoured for the whole receiver`, { tag: "@release" }, async ({
    start,
    settings,
    receive,
  }) => {
    const { url } = await start(settings);
    const calls = await openCalls(url, settings);
    const receiver = await receive(answering(429, headers));
    const { webhook } = await calls.create(receiver);
    await calls.group("one");
    await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.attempts.length).toBe(1);
    await calls.group("two");
    await sleep(3_000);
    expect(receiver.received).toHaveLength(1);
    const { next_attempt_at: next } = (await calls.one(webhook.id)).health;
    expect(Date.parse(String(next)) - Date.now()).toBeGreaterThan(3_500_000);
  });
}

for (const [what, answer, error, status] of [
  ["redirects", answering(302, { Location: "https://127.0.0.1:1/" }), "redirect", 302],
  ["never answers", () => undefined, "timeout", null],
  ["answers a byte a second", drip, "timeout", null],
  ["closes the connection", (response: ServerResponse) => response.destroy(), "reset", null],
  ["has headers without end", answering(200, { "X-Long": "x".repeat(60_000) }), "too_large", null],
  [
    "answers that more will come, without end",
    repeating("HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n"),
    "too_large",
    null,
  ],
  ["sends empty lines without end", repeating("\r\n"), "too_large", null],
  [
    "switches protocols",
    raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
    "status",
    101,
  ],
] as const) {
  test(`a receiver that ${what} is noted as ${error}`, { tag: "@release" }, async ({ start, settings, receive }) => {
    const { url } = await start(settings);
    const calls = await openCalls(url, settings);
    const { webhook } = await calls.create(await receive(answer));
    await calls.group("one");
    await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.attempts.length, HANGING).toBe(1);
    const [attempt] = (await calls.deliveries(webhook.id))[0]?.attempts ?? [];
    expect(attempt).toMatchObject({ error, status });
    expect(attempt?.duration_ms).toBeLessThan(20_000);
  });
}

/** Headers that never end. */
function drip(response: ServerResponse) {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\nX-Slow: ");
  const timer = setInterval(() => socket?.write("x"), 1_000);
  socket?.on("error", () => undefined);
  socket?.on("close", () => clearInterval(timer));
}

/** Writes this instead of an answer. */
function raw(text: string) {
  return ({ socket }: ServerResponse) => void socket?.write(text);
}

/** Writes this over and over, as fast as it is read. */
function repeating(text: string) {
  return ({ socket }: Pick<ServerResponse, "socket">) => {
    const chunk = text.repeat(1_000);
    const more = () => {
      while (socket?.writable && socket.write(chunk));
    };
    socket?.on("error", () => undefined);
    socket?.on("drain", more);
    more();
  };
}

test("of a body of 1 GB little is read, and nothing is stored", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  let written = 0;
  const receiver = await receive((response) => {
    response.writeHead(200);
    const chunk = Buffer.alloc(65_536, "secret answer ");
    const more = () => {
      while (written < 2 ** 30 && !response.destroyed) {
        written += chunk.length;
        if (!response.write(chunk)) return;
      }
    };
    response.on("drain", more);
    more();
  });
  const { webhook } = await calls.create(receiver);
  await calls.group("one");
  await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.state).toBe("delivered");
  // What the kernel's buffers hold was written, but not read.
  expect(written).toBeLessThan(2 ** 25);
  expect(JSON.stringify(await calls.deliveries(webhook.id))).not.toContain("secret answer");
});

test("what a receiver sends between its answers is hardly read", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  // The other requests hang, for which the connection is kept.
  const receiver = await receive(() => undefined);
  const { webhook } = await calls.create(receiver);
  await calls.change(webhook.id, { enabled: false });
  for (let n = 0; n < 4; n++) await calls.group(`g-${n}`);
  let socket: ServerResponse["socket"] = null;
  receiver.answer = (response) => {
    if (socket) return;
    socket = response.socket;
    response.end("ok");
    setTimeout(() => repeating("x")({ socket }), 300);
  };
  await calls.change(webhook.id, { enabled: true });
  await expect.poll(() => receiver.received.length).toBeGreaterThan(1);
  await expect.poll(() => socket?.destroyed, { timeout: 5_000 }).toBe(true);
});

test("killed between sending and noting, it sends again; nothing is lost", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const first = await start(settings);
  const calls = await openCalls(first.url, settings);
  const receiver = await receive();
  const { webhook } = await calls.create(receiver);
  const killed = new Promise<void>((resolve) => {
    receiver.answer = (response) => {
      // It was received, and nobody has noted it yet.
      response.writeHead(200).end();
      first.killGroup("SIGKILL");
      resolve();
    };
  });
  for (let n = 0; n < 8; n++) void calls.group(`g-${n}`).catch(() => undefined);
  await killed;
  await first.exited;
  receiver.answer = answering(200);
  const second = await start(settings);
  const again = await openCalls(second.url, settings);
  const created = await query<{ id: string }>(
    settings.DATABASE_URL,
    "SELECT id FROM audit_entry WHERE action = 'user_group.created'",
  );
  const wanted = created.map(({ id }) => id).sort();
  await expect
    .poll(async () => (await again.deliveries(webhook.id)).filter(({ state }) => state === "delivered").length)
    .toBe(wanted.length);
  expect([...new Set(receiver.received.map(({ event }) => event.id))].sort()).toEqual(wanted);
  const log = await again.deliveries(webhook.id);
  expect(log.map(({ message_id }) => message_id).sort()).toEqual([...new Set(receiver.ids())].sort());
});

test("a deleted webhook sends nothing more", { tag: "@release" }, async ({ start, settings, receive }) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  let aborted = 0;
  const receiver = await receive((response) => void response.on("close", () => aborted++));
  const { webhook } = await calls.create(receiver);
  for (let n = 0; n < 10; n++) await calls.group(`g-${n}`);
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  expect((await calls.ask("DELETE", "", { webhook_id: webhook.id })).status).toBe(200);
  await expect.poll(() => aborted).toBeGreaterThan(0);
  const count = receiver.received.length;
  await sleep(3_000);
  expect(receiver.received).toHaveLength(count);
});

test("stopping waits for no handshake that a receiver never ends", { tag: "@release" }, async ({ start, settings }) => {
  const service = await start(settings);
  const calls = await openCalls(service.url, settings);
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const connected = once(silent, "connection");
  await calls.create({ url: `https://127.0.0.1:${(silent.address() as AddressInfo).port}/` });
  await calls.group("one");
  await connected;
  await service.stop();
  silent.close();
  // Its work ended in order: another instance need not wait for the lease to expire.
  const leases = await query(settings.DATABASE_URL, "SELECT FROM webhook WHERE leased_by IS NOT NULL");
  expect(leases).toHaveLength(0);
});

test("a lease from before the clock was set back holds nobody up", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive();
  await calls.create(receiver);
  await query(
    settings.DATABASE_URL,
    "UPDATE webhook SET leased_by = gen_random_uuid(), leased_until = now() + interval '1 day'",
  );
  await calls.group("one");
  await expect.poll(receiver.groups).toEqual(["one"]);
});

test("two instances share the work", { tag: "@release" }, async ({ start, settings, receive }) => {
  const [first] = await Promise.all([start(settings), start(settings)]);
  const calls = await openCalls(first.url, settings);
  const receivers = await Promise.all(Array.from({ length: 4 }, () => receive()));
  for (const receiver of receivers) await calls.create(receiver);
  for (let n = 0; n < 40; n++) await calls.group(`g-${n}`);
  for (const receiver of receivers) {
    await expect.poll(() => new Set(receiver.groups()).size).toBe(40);
    expect(receiver.ids()).toHaveLength(40);
  }
});

test("a dead receiver's backlog stays in the history, and arrives once it lives", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive(answering(503));
  const { webhook } = await calls.create(receiver);
  for (let n = 0; n < 160; n++) await calls.group(`g-${n}`);
  const rows = async () => (await calls.one(webhook.id)).health.waiting;
  await expect.poll(rows, HANGING).toBeGreaterThanOrEqual(100);
  expect(await rows()).toBeLessThan(121);
  receiver.answer = answering(200);
  receiver.received.length = 0;
  await hurry(settings);
  await expect.poll(() => new Set(receiver.groups()).size, HANGING).toBe(160);
});

test("events that a receiver refuses do not keep others from it", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive((response, { event }) =>
    response.writeHead(event.data.provided_id?.startsWith("bad") ? 500 : 200).end(),
  );
  const { webhook } = await calls.create(receiver);
  await calls.group("good-1");
  await expect.poll(receiver.groups).toEqual(["good-1"]);
  for (let n = 0; n < 120; n++) await calls.group(`bad-${n}`);
  await expect.poll(async () => (await calls.one(webhook.id)).health.waiting, HANGING).toBeGreaterThanOrEqual(100);
  await calls.group("good-2");
  await expect.poll(receiver.groups, HANGING).toContain("good-2");
});

test("events since a time are sent again with the same ids", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive();
  const { webhook } = await calls.create(receiver);
  await calls.group("before");
  const [{ now }] = (await query<{ now: Date }>(settings.DATABASE_URL, "SELECT clock_timestamp() AS now")) as [
    { now: Date },
  ];
  await sleep(10);
  for (const id of ["one", "two"]) await calls.group(id);
  await expect.poll(receiver.groups).toHaveLength(3);
  await expect.poll(async () => (await calls.deliveries(webhook.id)).length).toBe(3);
  expect(await calls.replay(webhook.id, { since: now.toISOString() })).toEqual({ success: 1, deliveries: null });
  await expect.poll(() => receiver.groups().slice(3).sort()).toEqual(["one", "two"]);
  expect(new Set(receiver.ids()).size).toBe(3);
});

test("a webhook continues in a database that was restored elsewhere", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive();
  const { webhook } = await calls.create(receiver);
  await calls.group("before");
  await expect.poll(async () => (await calls.deliveries(webhook.id)).length).toBe(1);
  // As a dump says that is restored into another cluster.
  await query(settings.DATABASE_URL, "UPDATE feed_epoch SET system_identifier = 'another'");
  for (const id of ["one", "two"]) await calls.group(id);
  await expect.poll(() => receiver.groups().sort()).toEqual(["before", "one", "two"]);
  await calls.group("after");
  await expect.poll(() => receiver.groups().at(-1)).toBe("after");
  expect(receiver.received).toHaveLength(4);
});

test("the command line does what the API does, and a rekey keeps the secrets", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const receiver = await receive();
  const webhook = (...args: string[]) => command(["webhook", ...args], settings);
  const service = await start(settings);
  const created = await webhook("create", "--url", receiver.url, "--description", "billing");
  expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/), stderr: "" });
  const rotated = await webhook("rotate-secret", "1");
  const secrets = [created.stdout.trim(), rotated.stdout.trim()];
  expect((await webhook("update", "1", "--type", "user_group.*")).stdout).toBe("Webhook 1 is changed.\n");
  expect((await webhook("list")).stdout).toMatch(/^ID .*\n1 .* user_group\.\* +enabled +0 .* billing\n$/);
  expect(await webhook("update", "1", "--type", "nope")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("must be an action"),
  });
  expect(await webhook("delete", "2")).toMatchObject({ code: 1, stderr: expect.stringContaining("no such webhook") });
  expect((await webhook("test", "1")).code).toBe(0);
  await expect.poll(() => receiver.received.map(({ event }) => event.type)).toContain("webhook.test");
  await expect.poll(async () => (await webhook("deliveries", "1")).stdout).toContain("delivered  1         200");
  expect((await webhook("replay", "1", "--failed")).stdout).toBe("Deliveries to send again: 0.\n");
  await service.stop();

  const renewed = { ...settings, SECRET_KEY: "cd".repeat(32) };
  const rekey = await command(["rekey"], { ...renewed, PREVIOUS_SECRET_KEY: SECRET_KEY });
  expect(rekey.stdout, rekey.stderr).toContain("1 webhooks' secrets");
  const after = await start(renewed);
  await (await openCalls(after.url, renewed)).group("after");
  await expect.poll(receiver.groups).toEqual(["after"]);
  const { body, headers } = receiver.received.at(-1) ?? { body: "", headers: {} };
  for (const secret of secrets) new Webhook(secret).verify(body, headers as Record<string, string>);
  expect((await command(["webhook", "delete", "1"], renewed)).stdout).toBe("Webhook 1 is deleted.\n");
});

test("a group that is erased while its events are noted leaves no delivery", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive();
  const { webhook } = await calls.create(receiver, ["user_group.created"]);
  const arrived = new Promise<ServerResponse>((resolve) => {
    receiver.answer = resolve;
  });
  await calls.group("erased");
  const held = await arrived;
  receiver.answer = answering(200);
  await calls.remove("erased");
  const client = new pg.Client({ connectionString: settings.DATABASE_URL });
  await client.connect();
  try {
    await client.query("BEGIN");
    const { rows } = await client.query("SELECT environment_id, team_id FROM deleted_group");
    const { environment_id: environment, team_id: team } = rows[0];
    await client.query(
      `INSERT INTO audit_entry (environment_id, team_id, action, actor_type, actor_name)
       VALUES ($1, $2, 'user_group.erased', 'operator', 'e2e')`,
      [environment, team],
    );
    await client.query("SELECT erase_group($1, $2)", [environment, team]);
    held.writeHead(200).end();
    await sleep(500);
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
  await calls.group("other");
  await expect.poll(receiver.groups).toContain("other");
  await expect.poll(async () => (await calls.deliveries(webhook.id)).map(({ team_id }) => team_id)).toEqual([2]);
});

test("old deliveries and secrets go, and those that are needed stay", async ({ createDatabase }) => {
  const url = await createDatabase();
  const add = (webhook: number, count: number, state: string, age: string) =>
    query(
      url,
      `INSERT INTO webhook_delivery (webhook_id, message_id, type, body, state, created_at)
       SELECT $1, gen_random_uuid(), 'user_group.created', '{}', $2, now() - $3::interval FROM generate_series(1, $4)`,
      [webhook, state, age, count],
    );
  await query(
    url,
    `INSERT INTO webhook (environment_id, url, description, secret_sealed, previous_secret_sealed, previous_secret_until, epoch, xid, entry_id)
     SELECT 1, 'https://example.com/', '', '', 'old', now() + age, 1, 1, 1 FROM unnest(ARRAY [interval '-1 second', '1 minute']) AS age`,
  );
  await add(1, 3, "delivered", "15 days");
  await add(1, 2, "waiting", "15 days");
  await add(1, 4, "failed", "13 days");
  await add(2, 12_500, "delivered", "1 day");
  openPool(url, 2);
  try {
    await purgeDeliveries();
    await forgetPreviousSecrets();
  } finally {
    await closePool();
  }
  const kept = "SELECT webhook_id, state, count(*)::int FROM webhook_delivery GROUP BY 1, 2 ORDER BY 1, 2";
  expect(await query(url, kept)).toEqual([
    { webhook_id: 1, state: "failed", count: 4 },
    { webhook_id: 1, state: "waiting", count: 2 },
    { webhook_id: 2, state: "delivered", count: 10_000 },
  ]);
  const secrets = "SELECT id, previous_secret_sealed IS NULL AS gone FROM webhook ORDER BY id";
  expect(await query(url, secrets)).toEqual([
    { id: 1, gone: true },
    { id: 2, gone: false },
  ]);
});

test("erasing a group erases its deliveries", { tag: "@release" }, async ({ start, settings, receive }) => {
  const { url } = await start(settings);
  const calls = await openCalls(url, settings);
  const receiver = await receive();
  const { webhook } = await calls.create(receiver, null);
  for (const id of ["kept", "erased"]) await calls.group(id);
  await calls.remove("erased");
  await expect
    .poll(async () => (await calls.deliveries(webhook.id)).filter(({ team_id }) => team_id === 2).length)
    .toBe(2);
  await calls.purge(2);
  await expect
    .poll(async () =>
      (await calls.deliveries(webhook.id)).filter(({ team_id }) => team_id === 2).map(({ type }) => type),
    )
    .toEqual(["user_group.erased"]);
  expect(JSON.stringify(await calls.deliveries(webhook.id))).not.toContain('\\"erased\\"');
});

test("busy webhooks, more than a process works on, let others have their turn", { tag: "@release" }, async ({
  start,
  settings,
  receive,
}) => {
  const { url } = await start(settings);
  const slow = await receive((response) => void setTimeout(() => response.writeHead(200).end(), 500));
  for (const slug of ["a", "b", "c", "d"]) {
    await query(settings.DATABASE_URL, "INSERT INTO environment (slug, name, tag) VALUES ($1, $1, 'Testing')", [slug]);
    const calls = await openCalls(url, settings, slug);
    for (let n = 0; n < 20; n++) await calls.create(slow, null);
  }
  // For several minutes.
  await query(
    settings.DATABASE_URL,
    `INSERT INTO audit_entry (environment_id, action, actor_type, actor_name)
     SELECT id, 'environment.updated', 'operator', 'test' FROM environment, generate_series(1, 2000) WHERE name = slug`,
  );
  await expect.poll(() => slow.received.length, HANGING).toBeGreaterThan(1_500);
  const calls = await openCalls(url, settings);
  const receiver = await receive();
  await calls.create(receiver);
  await calls.group("one");
  await expect.poll(receiver.groups, HANGING).toEqual(["one"]);
});
