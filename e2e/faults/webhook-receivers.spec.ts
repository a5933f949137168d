import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, query } from "../fixtures/own-service";
import { answering } from "../fixtures/receiver";
import { hurry, openCalls, test } from "../fixtures/webhook-place";

/** Waits for a hanging receiver. */
const HANGING = { timeout: 60_000 };

for (const [what, headers] of [
  ["in seconds", { "Retry-After": "3600" }],
  [
    "by the receiver's wrong clock",
    { Date: "Mon, 01 Jan 2001 08:00:00 GMT", "Retry-After": "Mon, 01 Jan 2001 09:00:00 GMT" },
  ],
] as const) {
  test(`Retry-After ${what} is honoured for the whole receiver`, { tag: "@release" }, async ({ calls, receive }) => {
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
  ["sends endless headers", answering(200, { "X-Long": "x".repeat(60_000) }), "too_large", null],
  ["sends endless 103 responses", repeating("HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n"), "too_large", null],
  ["sends endless empty lines", repeating("\r\n"), "too_large", null],
  [
    "switches protocols",
    raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
    "status",
    101,
  ],
] as const) {
  test(`a receiver that ${what} is recorded as ${error}`, { tag: "@release" }, async ({ calls, receive }) => {
    const { webhook } = await calls.create(await receive(answer));
    await calls.group("one");
    await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.attempts.length, HANGING).toBe(1);
    const [attempt] = (await calls.deliveries(webhook.id))[0]?.attempts ?? [];
    expect(attempt).toMatchObject({ error, status });
    expect(attempt?.duration_ms).toBeLessThan(20_000);
  });
}

/** Endless headers. */
function drip(response: ServerResponse) {
  const { socket } = response;
  socket?.write("HTTP/1.1 200 OK\r\nX-Slow: ");
  const timer = setInterval(() => socket?.write("x"), 1_000);
  socket?.on("error", () => undefined);
  socket?.on("close", () => clearInterval(timer));
}

/** Writes this instead of a response. */
function raw(text: string) {
  return ({ socket }: ServerResponse) => void socket?.write(text);
}

/** Writes this repeatedly, as fast as it is read. */
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

test("slow receivers of one environment do not delay another's webhooks", { tag: "@release" }, async ({
  service,
  settings,
  calls,
  receive,
}) => {
  const slow = await receive(() => undefined);
  for (let n = 0; n < 20; n++) await calls.change((await calls.create(slow)).webhook.id, { enabled: false });
  for (let n = 0; n < 8; n++) await calls.group(`slow-${n}`);
  const others = await openCalls(service.url, settings, "production");
  const quick = await receive();
  await others.create(quick);
  await query(settings.DATABASE_URL, "UPDATE webhook SET enabled = true, disabled_at = NULL, disabled_reason = NULL");
  // As many hang as are sent concurrently.
  await expect.poll(() => slow.received.length, HANGING).toBeGreaterThan(20);
  await sleep(3_000);
  await others.group("quick");
  const begin = performance.now();
  await expect.poll(() => quick.received.length, { ...HANGING, intervals: [50] }).toBe(1);
  expect(performance.now() - begin).toBeLessThan(4_000);
});

test("of a 1 GB body little is read and nothing stored", { tag: "@release" }, async ({ calls, receive }) => {
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
  // Includes bytes in the kernel's buffers, written but not read.
  expect(written).toBeLessThan(2 ** 25);
  expect(JSON.stringify(await calls.deliveries(webhook.id))).not.toContain("secret answer");
});

test("a connection that keeps sending between answers is closed", { tag: "@release" }, async ({ calls, receive }) => {
  // The other requests hang, which keeps the connection open.
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

test("stopping does not wait for a handshake that never ends", { tag: "@release" }, async ({
  service,
  calls,
  settings,
}) => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const connected = once(silent, "connection");
  await calls.create({ url: `https://127.0.0.1:${(silent.address() as AddressInfo).port}/` });
  await calls.group("one");
  await connected;
  await service.stop();
  silent.close();
  // It released its lease, so another instance need not wait for it to expire.
  const leases = await query(settings.DATABASE_URL, "SELECT FROM webhook WHERE leased_by IS NOT NULL");
  expect(leases).toHaveLength(0);
});

test("tests and replays interrupt no delivery under way", { tag: "@release" }, async ({ calls, receive }) => {
  const receiver = await receive((response) => void setTimeout(() => response.writeHead(200).end(), 2_500));
  const { webhook } = await calls.create(receiver);
  const received = (count: number) => expect.poll(() => receiver.received.length).toBe(count);
  const delivered = () =>
    expect
      .poll(async () => (await calls.deliveries(webhook.id)).map(({ state }) => state), HANGING)
      .toEqual(["delivered", "delivered"]);
  await calls.group("one");
  await received(1);
  expect((await calls.ask("POST", "/test", { webhook_id: webhook.id })).status).toBe(200);
  await delivered();
  const [first, second] = await calls.deliveries(webhook.id);
  await calls.replay(webhook.id, { delivery_id: first?.id });
  await received(3);
  await calls.replay(webhook.id, { delivery_id: second?.id });
  await delivered();
  const ids = receiver.ids();
  expect(ids).toHaveLength(4);
  expect(new Set(ids).size).toBe(2);
});

test("a dead receiver's backlog stays in the history and arrives once it recovers", { tag: "@release" }, async ({
  calls,
  settings,
  receive,
}) => {
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

test("events that a receiver refuses do not block others", { tag: "@release" }, async ({ calls, receive }) => {
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

test("busy webhooks, more than a process serves at a time, leave room for others", { tag: "@release" }, async ({
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
  // Work for several minutes.
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
