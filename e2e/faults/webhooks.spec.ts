import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { expect, query } from "../fixtures/own-service";
import { answering } from "../fixtures/receiver";
import { command } from "../fixtures/run";
import { hurry, openCalls, SECRET_KEY, test } from "../fixtures/webhook-place";

test("events arrive in order, signed, matching the feed, and are logged", async ({ service, calls, receive }) => {
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

  // The receiver may still have the first secret: the second one's answer may have been lost.
  const rotated = await calls.rotate(webhook.id);
  const again = await calls.rotate(webhook.id);
  await calls.group("after");
  await expect.poll(receiver.groups).toHaveLength(31);
  const last = receiver.received[30];
  for (const one of [secret, rotated.secret, again.secret]) {
    new Webhook(one).verify(String(last?.body), last?.headers as Record<string, string>);
  }
  const logged = await readFile(service.log, "utf8");
  for (const hidden of ["key=hidden", secret, rotated.secret]) expect(logged).not.toContain(hidden);
});

test("in allowed networks, names that only this machine resolves work", { tag: "@release" }, async ({
  calls,
  receive,
}) => {
  const receiver = await receive();
  await calls.create({ url: receiver.url.replace("127.0.0.1", "localhost") });
  await calls.group("one");
  await expect.poll(receiver.groups).toEqual(["one"]);
});

test("after a 500 the delivery is retried with the same id", { tag: "@release" }, async ({
  calls,
  settings,
  receive,
}) => {
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

test("a delivery is given up after three days and can be replayed", { tag: "@release" }, async ({
  calls,
  settings,
  receive,
}) => {
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

test("410 disables the webhook, and enabling it resumes where it was", { tag: "@release" }, async ({
  service,
  calls,
  settings,
  receive,
}) => {
  const receiver = await receive(answering(410));
  const { webhook } = await calls.create(receiver);
  await calls.group("one");
  await expect.poll(async () => (await calls.one(webhook.id)).disabled_reason).toBe("gone");
  const entries = await query<{ after: string; actor_type: string }>(
    settings.DATABASE_URL,
    "SELECT after, actor_type FROM audit_entry WHERE action = 'webhook.disabled'",
  );
  expect(entries).toHaveLength(1);
  expect(JSON.parse(String(entries[0]?.after))).toEqual({
    id: webhook.id,
    url: new URL(receiver.url).origin,
    reason: "gone",
  });
  const doctor = await command(["doctor", service.url], { DOCTOR_TOKEN: calls.token });
  expect(doctor.stdout).toMatch(/webhooks +the service disabled 1: /);
  receiver.answer = answering(200);
  await calls.group("two");
  await sleep(3_000);
  expect(receiver.received).toHaveLength(1);
  await calls.change(webhook.id, { enabled: true });
  await expect.poll(() => receiver.groups().slice(1).sort()).toEqual(["one", "two"]);
});

test("five days of failures disable the webhook", { tag: "@release" }, async ({ calls, settings, receive }) => {
  const receiver = await receive(answering(500));
  const { webhook } = await calls.create(receiver);
  await calls.group("one");
  await expect.poll(async () => (await calls.one(webhook.id)).health.failing_since).not.toBeNull();
  await query(settings.DATABASE_URL, "UPDATE webhook SET failing_since = now() - interval '5 days 1 second'");
  // After days without events, a failure or two may soon be over.
  await hurry(settings);
  await expect.poll(async () => (await calls.deliveries(webhook.id))[0]?.attempts.length).toBe(2);
  expect((await calls.one(webhook.id)).enabled).toBe(true);
  await query(settings.DATABASE_URL, "UPDATE webhook_delivery SET tries = 5");
  await hurry(settings);
  await expect.poll(async () => (await calls.one(webhook.id)).disabled_reason).toBe("failing");
});

test("after kill -9 between sending and recording, it sends again; nothing is lost", { tag: "@release" }, async ({
  service,
  calls,
  start,
  settings,
  receive,
}) => {
  const receiver = await receive();
  const { webhook } = await calls.create(receiver);
  const killed = new Promise<void>((resolve) => {
    receiver.answer = (response) => {
      // Received but not yet recorded.
      response.writeHead(200).end();
      service.killGroup("SIGKILL");
      resolve();
    };
  });
  for (let n = 0; n < 8; n++) void calls.group(`g-${n}`).catch(() => undefined);
  await killed;
  await service.exited;
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

test("a deleted webhook sends nothing more", { tag: "@release" }, async ({ calls, receive }) => {
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

test("a lease from before the clock was set back blocks nothing", { tag: "@release" }, async ({
  calls,
  settings,
  receive,
}) => {
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

test("events since a time are resent with the same ids", { tag: "@release" }, async ({ calls, settings, receive }) => {
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

test("a webhook continues after the database is restored elsewhere", { tag: "@release" }, async ({
  calls,
  settings,
  receive,
}) => {
  const receiver = await receive();
  const { webhook } = await calls.create(receiver);
  await calls.group("before");
  await expect.poll(async () => (await calls.deliveries(webhook.id)).length).toBe(1);
  // As for a dump restored into another cluster.
  await query(settings.DATABASE_URL, "UPDATE feed_epoch SET system_identifier = 'another'");
  for (const id of ["one", "two"]) await calls.group(id);
  await expect.poll(() => receiver.groups().sort()).toEqual(["before", "one", "two"]);
  await calls.group("after");
  await expect.poll(() => receiver.groups().at(-1)).toBe("after");
  expect(receiver.received).toHaveLength(4);
});

test("a rekey keeps the secrets", { tag: "@release" }, async ({ start, settings, receive }) => {
  const receiver = await receive();
  const service = await start(settings);
  const calls = await openCalls(service.url, settings);
  const { webhook, secret } = await calls.create(receiver);
  const rotated = await calls.rotate(webhook.id);
  await service.stop();

  const renewed = { ...settings, SECRET_KEY: "cd".repeat(32) };
  const rekey = await command(["rekey"], { ...renewed, PREVIOUS_SECRET_KEY: SECRET_KEY });
  expect(rekey.stdout, rekey.stderr).toContain("1 webhooks' secrets");
  const after = await start(renewed);
  await (await openCalls(after.url, renewed)).group("after");
  await expect.poll(receiver.groups).toEqual(["after"]);
  const { body, headers } = receiver.received.at(-1) ?? { body: "", headers: {} };
  for (const one of [secret, rotated.secret]) new Webhook(one).verify(body, headers as Record<string, string>);
});
